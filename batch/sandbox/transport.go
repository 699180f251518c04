package sandbox

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"os"
	"strconv"
	"syscall"
)

// Transport reaches the service without a network, and so also within a
// testing/synctest bubble. What breaks a connection is an error as the network's:
// a reset before the answer's header, an unexpected end within its body. The
// hooks of net/http/httptrace for a request that leaves are called in their usual order.
func (s *Service) Transport() http.RoundTripper { return inProcess{s} }

type inProcess struct{ service http.Handler }

// RoundTrip returns when the context ends. What the service has begun by then
// takes effect all the same, as it does over a network.
func (t inProcess) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	body, err := drain(req)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	r := req.WithContext(ctx)
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.ContentLength = int64(len(body))
	r.RequestURI = req.URL.RequestURI()
	r.RemoteAddr = "127.0.0.1:0"
	if r.Host == "" {
		r.Host = req.URL.Host
	}
	if r.Header == nil {
		r.Header = http.Header{}
	}
	Leaves(req)
	w := &recorder{header: http.Header{}}
	aborted := serve(t.service, w, r)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case aborted && w.status == 0:
		return nil, &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
	}
	return w.response(req, aborted), nil
}

func drain(req *http.Request) ([]byte, error) {
	if req.Body == nil {
		return nil, nil
	}
	data, err := io.ReadAll(req.Body)
	return data, errors.Join(err, req.Body.Close())
}

// serve reports whether the handler broke the connection.
func serve(h http.Handler, w http.ResponseWriter, r *http.Request) (aborted bool) {
	defer func() {
		switch p := recover(); p {
		case nil:
		case http.ErrAbortHandler:
			aborted = true
		default:
			panic(p)
		}
	}()
	h.ServeHTTP(w, r)
	return false
}

// recorder keeps an answer.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *recorder) Header() http.Header { return w.header }

func (w *recorder) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}

func (w *recorder) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(p)
}

// response makes the answer one that has come over a connection.
func (w *recorder) response(req *http.Request, aborted bool) *http.Response {
	w.WriteHeader(http.StatusOK)
	res := &http.Response{
		Status: strconv.Itoa(w.status) + " " + http.StatusText(w.status), StatusCode: w.status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: w.header, Request: req,
		ContentLength: int64(w.body.Len()),
	}
	if n, err := strconv.ParseInt(w.header.Get("Content-Length"), 10, 64); err == nil {
		res.ContentLength = n
	}
	body := io.Reader(bytes.NewReader(w.body.Bytes()))
	if aborted {
		body = io.MultiReader(body, broke{})
	}
	res.Body = io.NopCloser(body)
	return res
}

// broke is the end of a body whose connection broke.
type broke struct{}

func (broke) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// Leaves calls the hooks of net/http/httptrace for a request that leaves, in their usual order, where it has some.
func Leaves(req *http.Request) {
	t := httptrace.ContextClientTrace(req.Context())
	if t == nil {
		return
	}
	if t.GetConn != nil {
		t.GetConn(req.URL.Host)
	}
	if t.GotConn != nil {
		t.GotConn(httptrace.GotConnInfo{Reused: true})
	}
	if t.WroteHeaders != nil {
		t.WroteHeaders()
	}
}
