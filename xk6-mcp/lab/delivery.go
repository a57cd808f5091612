package lab

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"go.k6.io/k6/v2/output"
)

const (
	// The pause doubles after each try, so the receiver may be unavailable for 31 s.
	deliveryTries = 6
	firstPause    = time.Second
	// deliveryTimeout bounds the upload of one file. The seconds of one day are 100 MB.
	deliveryTimeout = 5 * time.Minute
)

// delivery uploads the files to the server that adds up several generators. It does nothing unless K6_LAB_SERVER_URL is set.
type delivery struct {
	// The base URL, to which the file names are appended.
	url, token string
	pause      time.Duration
}

func deliveryOf(params output.Params) delivery {
	return delivery{params.Environment["K6_LAB_SERVER_URL"], params.Environment["K6_LAB_TOKEN"], firstPause}
}

// send uploads both files. measured.json comes last: once it has arrived, the run is complete.
func (d delivery) send(folder string) error {
	if d.url == "" {
		return nil
	}
	for _, name := range []string{secondsFile, measuredFile} {
		if err := d.sendFile(filepath.Join(folder, name)); err != nil {
			return fmt.Errorf("output lab: %s was not delivered: %w", name, err)
		}
	}
	return nil
}

func (d delivery) sendFile(path string) error {
	var err error
	pause := d.pause
	for try := range deliveryTries {
		if try > 0 {
			time.Sleep(pause)
			pause *= 2
		}
		var status int
		if status, err = d.put(path); err == nil {
			switch {
			case status == http.StatusCreated, status == http.StatusConflict && try > 0:
				// An earlier try was successful, but its answer was lost.
				return nil
			case status < http.StatusInternalServerError:
				return fmt.Errorf("the answer was %d", status)
			}
			err = fmt.Errorf("the answer was %d", status)
		}
	}
	return err
}

// put uploads a file and returns the status of the answer. It uses no proxy and follows no redirects: the token must only reach the configured
// URL.
func (d delivery) put(path string) (status int, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), deliveryTimeout)
	defer cancel()
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, d.url+"/"+filepath.Base(path), file)
	if err != nil {
		return 0, errors.New("K6_LAB_SERVER_URL is not a URL")
	}
	request.ContentLength = info.Size()
	request.Header.Set("Authorization", "Bearer "+d.token)
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}
