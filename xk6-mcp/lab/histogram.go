package lab

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// mantissaBits of a value choose its bucket: each is a 512th of a power of two wide, and its middle is off by 0.1 % at most.
const mantissaBits = 9

// histogram counts values above 0 by their buckets. Its size depends on how far values are apart, and not on their number; adding two is exact.
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

// MarshalText writes the buckets in order, each by its distance from the one before, and a count that is not 1 behind it: "b84g 1 3*2", in
// base 36.
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
