package lab

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"go.k6.io/k6/v2/output"
)

// receiver answers with the given statuses in turn, and then with 201. It returns the files that it received, by path.
func receiver(t *testing.T, statuses ...int) (url string, got func() []string) {
	t.Helper()
	var all []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		all = append(all, r.Method+" "+r.URL.Path+" "+r.Header.Get("Authorization")+" "+string(body))
		status := http.StatusCreated
		if len(statuses) > 0 {
			status, statuses = statuses[0], statuses[1:]
		}
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(status)
	}))
	t.Cleanup(server.Close)
	return server.URL, func() []string { return all }
}

func left(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range map[string]string{secondsFile: "{}", measuredFile: "[]"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func TestDelivery(t *testing.T) {
	seconds, whole := "PUT /load-1/seconds.jsonl Bearer t {}", "PUT /load-1/measured.json Bearer t []"
	for name, one := range map[string]struct {
		statuses []int
		got      []string
		err      string
	}{
		"taken":                        {nil, []string{seconds, whole}, ""},
		"busy, and then not":           {[]int{503, 502}, []string{seconds, seconds, seconds, whole}, ""},
		"taken, but the answer lost":   {[]int{500, 409}, []string{seconds, seconds, whole}, ""},
		"of another one before":        {[]int{409}, []string{seconds}, "seconds.jsonl was not delivered: the answer was 409"},
		"a token that is none":         {[]int{201, 401}, []string{seconds, whole}, "measured.json was not delivered: the answer was 401"},
		"sent on, with the token kept": {[]int{307}, []string{seconds}, "the answer was 307"},
	} {
		t.Run(name, func(t *testing.T) {
			url, got := receiver(t, one.statuses...)
			err := delivery{url + "/load-1", "t", time.Millisecond}.send(left(t))
			if (err == nil) != (one.err == "") || err != nil && !strings.HasSuffix(err.Error(), one.err) {
				t.Errorf("got %v", err)
			}
			if !reflect.DeepEqual(got(), one.got) {
				t.Errorf("got %q", got())
			}
		})
	}
}

func TestDeliveryToNobody(t *testing.T) {
	err := delivery{"http://127.0.0.1:1/load-1", "t0ken", time.Microsecond}.send(left(t))
	if err == nil || strings.Contains(err.Error(), "t0ken") {
		t.Errorf("got %v", err)
	}
	if err := deliveryOf(output.Params{Environment: map[string]string{}}).send("/nowhere"); err != nil {
		t.Errorf("nobody asked for it, and got %v", err)
	}
}
