package postgres

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"eventbatch/batch/secret"
	"eventbatch/mapping/failure"
)

// Told returns the address that a command line may have: it is shown to whoever lists the
// processes, and holds no password.
func Told(address string) (secret.Secret, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql":
		return secret.Secret{}, unreadable()
	case shows(u, address):
		return secret.Secret{}, failure.New(failure.Usage, errors.New("the address of the store holds a password, which others can see"),
			"leave it out: PGPASSFILE has it, or EVENTBATCH_STORE, or what the profile's store names")
	}
	return secret.NewPhrase(address)
}

// shows reports whether an address shows a secret: as PostgreSQL's programs read it, for which all
// before an @ is the user with the password, and all behind a ? or # settings.
func shows(u *url.URL, address string) bool {
	_, password := u.User.Password()
	if password || strings.Contains(u.User.Username(), ":") || u.User == nil && strings.Contains(address, "@") {
		return true
	}
	for setting := range strings.FieldsFuncSeq(address, func(r rune) bool { return strings.ContainsRune("?&;#", r) }) {
		name, _, is := strings.Cut(setting, "=")
		if !is {
			continue // the address before its settings
		}
		if name, err := url.QueryUnescape(name); err != nil || secret.Names(name) {
			return true
		}
	}
	return false
}

// unreadable returns the error of an address that cannot be read. It may hold a password.
func unreadable() error {
	return failure.New(failure.Config, errors.New("the address of the store cannot be read"),
		"write postgres://USER@HOST:PORT/DATABASE, and look at PGSERVICE and its like where they are set")
}

// maxConnections is how many connections a process has at most, besides that of its locks.
const maxConnections = 8

// defaultSchema is that of a store whose address names none.
const defaultSchema = "eventbatch"

// parse reads an address, with what PGHOST and its like, PGPASSFILE and PGSERVICE say besides,
// and the schema that it names. A schema that is given goes before that.
func parse(address secret.Secret, given string) (config *pgxpool.Config, schema string, err error) {
	config, err = pgxpool.ParseConfig(address.Reveal())
	if err != nil {
		// The error may repeat the address, with its password.
		return nil, "", unreadable()
	}
	c := config.ConnConfig
	odd := strings.Contains(c.User, ":") || strings.ContainsAny(c.Host+c.Database, "@#")
	if odd || slices.ContainsFunc(c.Fallbacks, func(f *pgconn.FallbackConfig) bool { return strings.Contains(f.Host, "@") }) {
		// Errors of the connection name all of them.
		err := errors.New("the user, host or database of the store's address seems to hold a password")
		return nil, "", failure.New(failure.Config, err,
			"write postgres://USER:PASSWORD@HOST/DATABASE, in the password %40 for @, %3A for :, %2F for /, %3F for ? and %23 for #")
	}
	if err := guarded(c); err != nil {
		return nil, "", err
	}
	config.MaxConns = maxConnections
	config.MinConns = 0
	if c.ConnectTimeout == 0 {
		c.ConnectTimeout = 10 * time.Second
	}
	if _, said := c.RuntimeParams["application_name"]; !said {
		c.RuntimeParams["application_name"] = "eventbatch"
	}
	c.RuntimeParams["search_path"] = cmp.Or(given, c.RuntimeParams["search_path"])
	settle, values := "", [][]byte{}
	for i, set := range settings() {
		settle += fmt.Sprintf("set_config('%s', $%d, false), ", set.name, i+1)
		values = append(values, []byte(cmp.Or(c.RuntimeParams[set.name], set.value)))
		delete(c.RuntimeParams, set.name)
	}
	settle = "select " + settle + durable
	c.AfterConnect = func(ctx context.Context, conn *pgconn.PgConn) error {
		return conn.ExecParams(ctx, settle, values, nil, nil, nil).Read().Err
	}
	switch schema = string(values[0]); {
	case !bare(schema):
		err := errors.New("the search_path of the store is no single name: " + strconv.Quote(schema))
		return nil, "", failure.New(failure.Config, err,
			"name one schema, with lower-case letters, digits and _, "+strconv.Itoa(longest)+" at most")
	case schema == "information_schema" || strings.HasPrefix(schema, "pg_"):
		err := errors.New("the search_path of the store is a schema of PostgreSQL's own: " + schema)
		return nil, "", failure.New(failure.Config, err, "name another, or none, which means "+defaultSchema)
	}
	return config, schema, nil
}

// longest is how long a name may be: PostgreSQL cuts a longer one without a word, and two of
// them would be one schema.
const longest = 63

// bare reports whether a name is the same with and without quotes.
func bare(name string) bool {
	return len(name) <= longest && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == "" &&
		strings.Trim(name[:1], "0123456789") != ""
}

func ms(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// setting is one of a session.
type setting struct{ name, value string }

// settings returns what each connection begins with, the schema first, unless the address says otherwise: a
// pooler takes no settings with the connection itself.
func settings() []setting {
	return []setting{
		{"search_path", defaultSchema},
		{"statement_timeout", ms(statementTimeout)},
		{"lock_timeout", ms(statementTimeout / 2)},
		{"idle_in_transaction_session_timeout", ms(2 * statementTimeout)},
		// A machine that is lost closes no connection: the server is to miss it, and to free its locks.
		{"tcp_keepalives_idle", "10"},
		{"tcp_keepalives_interval", "5"},
		{"tcp_keepalives_count", "3"},
		{"tcp_user_timeout", "25s"},
		{"idle_session_timeout", "0"}, // or the locks were lost
		{"default_transaction_isolation", "read committed"},
	}
}

// durable has a commit wait for the disk, where the database is set to do otherwise.
const durable = "case current_setting('synchronous_commit') when 'off' then set_config('synchronous_commit', 'on', false) end"

// guarded refuses a connection across a network that others may read.
func guarded(c *pgx.ConnConfig) error {
	plain := !loopback(c.Host) && c.TLSConfig == nil
	for _, f := range c.Fallbacks {
		plain = plain || !loopback(f.Host) && f.TLSConfig == nil
	}
	if plain {
		return failure.New(failure.Config, errors.New("the store at "+c.Host+" would be reached without TLS"),
			"add sslmode=verify-full to its address, and sslrootcert= where its certificate is one of your own making")
	}
	return nil
}

// trusting reports whether a connection across a network takes any server for the store's: one whose
// certificate is not verified, or not that it is of this host.
func trusting(c *pgx.ConnConfig) bool {
	takes := func(host string, t *tls.Config) bool { return !loopback(host) && t != nil && t.InsecureSkipVerify }
	return takes(c.Host, c.TLSConfig) || slices.ContainsFunc(c.Fallbacks, func(f *pgconn.FallbackConfig) bool {
		return takes(f.Host, f.TLSConfig)
	})
}

// loopback reports whether a host is this machine: an address of it, or a folder with a socket.
func loopback(host string) bool { return strings.HasPrefix(host, "/") || secret.Loopback(host) }

// named returns an address for people.
func named(config *pgxpool.Config, schema string) string {
	c := config.ConnConfig
	host := net.JoinHostPort(c.Host, strconv.Itoa(int(c.Port)))
	if strings.HasPrefix(c.Host, "/") {
		host = c.Host
	}
	name := "postgres://" + host + "/" + c.Database
	if schema != defaultSchema {
		name += "?search_path=" + schema
	}
	return name
}
