package sandbox_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"

	"eventbatch/batch/sandbox"
)

// An importer's client meets the service without a network. The answer to its
// create is lost; a look-up of the slug tells that the event is there.
func Example() {
	service, err := sandbox.New(sandbox.Config{
		Faults: []sandbox.Fault{{Kind: sandbox.ResetAfter, Rate: 1, Path: "/events/create", Times: 1}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer service.Close()
	client := &http.Client{Transport: service.Transport()}
	call := func(method, path, body string) string {
		req, err := http.NewRequest(method, "http://sandbox.test"+path, strings.NewReader(body))
		if err != nil {
			return err.Error()
		}
		req.Header.Set("x-service-api-key", "sandbox")
		req.Header.Set("Content-Type", "application/json")
		res, err := client.Do(req)
		if err != nil {
			return "no answer"
		}
		defer res.Body.Close()
		answer, err := io.ReadAll(res.Body)
		if err != nil {
			return "half an answer"
		}
		return fmt.Sprint(res.StatusCode, " ", string(answer))
	}
	create := `{"name":"Tea","start_at":"2026-05-01T18:30:00+02:00","timezone":"Europe/Berlin","slug":"spring-tea"}`
	fmt.Println(call("POST", "/v1/events/create", create))
	fmt.Println(strings.Contains(call("GET", "/v1/entities/lookup?slug=spring-tea", ""), `"name":"Tea"`))
	fmt.Println(call("POST", "/v1/events/create", create))
	fmt.Println(len(service.Events()), "event")
	// Output:
	// no answer
	// true
	// 400 {"message":"Invalid request.\n- slug: This slug is already taken.","code":"invalid-request"}
	// 1 event
}
