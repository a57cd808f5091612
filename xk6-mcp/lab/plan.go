package lab

import (
	"math"
	"sort"

	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/lib/executor"
)

// plan returns when the iteration of a slot is to begin, in nanoseconds, and infinity after the last. Slots are numbered from 0.
type plan func(slot int64) float64

// planOf returns that of an arrival rate's executor, and nil for others: their iterations begin when VUs are free.
func planOf(config lib.ExecutorConfig, tuple *lib.ExecutionTuple) plan {
	switch config := config.(type) {
	case *executor.ConstantArrivalRateConfig:
		// k6 rounds the period down to a nanosecond.
		period := math.Trunc(float64(config.TimeUnit.TimeDuration()) / float64(config.Rate.Int64))
		return segmented(func(slot int64) float64 { return float64(slot) * period }, tuple, max(config.MaxVUs.Int64, config.PreAllocatedVUs.Int64))
	case *executor.RampingArrivalRateConfig:
		return segmented(ramping(config), tuple, max(config.MaxVUs.Int64, config.PreAllocatedVUs.Int64))
	}
	return nil
}

// segmented returns the plan of one instance, which has every slot that k6's striping gives its segment.
func segmented(whole plan, tuple *lib.ExecutionTuple, maxVUs int64) plan {
	own, err := tuple.GetNewExecutionTupleFromValue(maxVUs)
	if err != nil {
		return nil
	}
	slot, offsets, length := own.GetStripedOffsets()
	slots := make([]int64, len(offsets))
	for index, offset := range offsets {
		slots[index] = slot
		slot += offset
	}
	count := int64(len(slots))
	return func(number int64) float64 { return whole(number/count*length + slots[number%count]) }
}

type stage struct{ begin, duration, from, to, slotsBefore, slotsAtEnd float64 }

// ramping is k6's cal() for any slot: the iteration of slot i is to begin where the area under the rate is i+1.
func ramping(config *executor.RampingArrivalRateConfig) plan {
	var stages []stage
	unit := float64(config.TimeUnit.TimeDuration())
	var begin, slots float64
	from := float64(config.StartRate.Int64) / unit
	for _, one := range config.Stages {
		duration, to := float64(one.Duration.TimeDuration()), float64(one.Target.Int64)/unit
		atEnd := slots + duration*((to-from)/2+from)
		stages = append(stages, stage{begin, duration, from, to, slots, atEnd})
		begin, slots, from = begin+duration, atEnd, to
	}
	return func(slot int64) float64 {
		area := float64(slot + 1)
		index := sort.Search(len(stages), func(index int) bool { return area <= stages[index].slotsAtEnd })
		if index == len(stages) {
			return math.Inf(1)
		}
		s := stages[index]
		area -= s.slotsBefore
		if s.from == s.to {
			return s.begin + math.Trunc(area/s.to)
		}
		root := math.Sqrt(max(0, s.duration*(s.from*s.from*s.duration+2*area*(s.to-s.from))))
		return s.begin + math.Trunc((s.from*s.duration-root)/(s.from-s.to))
	}
}
