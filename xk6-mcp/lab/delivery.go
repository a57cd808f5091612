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
	// What takes the files may be away for so long all in all.
	deliveryTries = 6
	firstPause    = time.Second
	// Of one file: a day of seconds is 100 MB.
	deliveryTimeout = 5 * time.Minute
)

// delivery sends what was written to whoever adds up several generators. There is none without K6_LAB_SERVER_URL.
type delivery struct {
	// The files' names are added to it.
	url, token string
	pause      time.Duration
}

func deliveryOf(params output.Params) delivery {
	return delivery{params.Environment["K6_LAB_SERVER_URL"], params.Environment["K6_LAB_TOKEN"], firstPause}
}

// send puts both files, that which says how the run ended last: where it is, all is.
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
				// What came before it was taken, and only the answer was lost.
				return nil
			case status < http.StatusInternalServerError:
				return fmt.Errorf("the answer was %d", status)
			}
			err = fmt.Errorf("the answer was %d", status)
		}
	}
	return err
}

// put returns the status of the answer. It goes nowhere but to the address that was given: not through a proxy, not where it is sent on to.
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
		return 0, errors.New("K6_LAB_SERVER_URL is no URL")
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
