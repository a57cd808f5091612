package lab

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// mantissaBits is the number of mantissa bits that select the bucket of a value. A bucket is 1/512 of a power of two wide, so its middle is off
// by at most 0.1 %.
const mantissaBits = 9

// histogram counts values by bucket. Zero and negative values share one bucket. The histogram's size depends on the range of the values, not on
// how many there are. Adding two histograms is exact.
type histogram map[uint64]int64

func (h histogram) count(value float64) {
	if value > 0 {
		h[math.Float64bits(value)>>(52-mantissaBits)]++
	} else {
		h[0]++
	}
}

func (h histogram) add(other histogram) {
	for bucket, count := range other {
		h[bucket] += count
	}
}

// MarshalText writes the buckets in ascending order. Each is its distance from the previous one in base 36, followed by "*" and its count in
// base 36 if that is not 1: "b84g 1 3*2".
func (h histogram) MarshalText() ([]byte, error) {
	var text strings.Builder
	var last uint64
	for index, bucket := range slices.Sorted(maps.Keys(h)) {
		if index > 0 {
			text.WriteByte(' ')
		}
		text.WriteString(strconv.FormatUint(bucket-last, 36))
		if count := h[bucket]; count != 1 {
			text.WriteString("*" + strconv.FormatInt(count, 36))
		}
		last = bucket
	}
	return []byte(text.String()), nil
}
