package lab

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// middles parses the text of a histogram, and returns the middles and the counts of its buckets.
func middles(t *testing.T, text string) (values []float64, counts []int64) {
	t.Helper()
	var bucket uint64
	for part := range strings.FieldsSeq(text) {
		distance, count, isMany := strings.Cut(part, "*")
		if !isMany {
			count = "1"
		}
		step, err := strconv.ParseUint(distance, 36, 64)
		number, numberErr := strconv.ParseInt(count, 36, 64)
		if err != nil || numberErr != nil {
			t.Fatalf("%q is no histogram", text)
		}
		bucket += step
		low, high := math.Float64frombits(bucket<<(52-mantissaBits)), math.Float64frombits((bucket+1)<<(52-mantissaBits))
		values, counts = append(values, (low+high)/2), append(counts, number)
	}
	return values, counts
}

func TestHistogram(t *testing.T) {
	whole, half, other := histogram{}, histogram{}, histogram{}
	var values []float64
	for index := range 10_000 {
		value := math.Exp(rand.NormFloat64()*3 + 1)
		values = append(values, value)
		whole.count(value)
		[]histogram{half, other}[index%2].count(value)
	}
	if half.add(other); !reflect.DeepEqual(half, whole) {
		t.Error("two halves are not the whole")
	}
	text, _ := whole.MarshalText()
	found, counts := middles(t, string(text))
	slices.Sort(values)
	index := 0
	for at, middle := range found {
		for range counts[at] {
			if off := math.Abs(middle/values[index] - 1); off > 0.001 {
				t.Fatalf("%v is read as %v", values[index], middle)
			}
			index++
		}
	}
	if index != len(values) {
		t.Errorf("got %d values", index)
	}
	if text, _ := (histogram{0: 1, 35: 2, 71: 40}).MarshalText(); string(text) != "0 z*2 10*14" {
		t.Errorf("got %s", text)
	}
}
