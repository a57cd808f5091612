//go:build unix

package mcp

import (
	"fmt"
	"testing"
)

// recordOf returns the record of a server that is called alone, and then by two calls at once.
func recordOf(t *testing.T, mode, options string) *Processes {
	t.Helper()
	t.Cleanup(EndProcesses)
	record.Processes = Processes{}
	f := stdioFixture(t, mode, "{ processes: 1, "+options+" }")
	f.run("client.connect()")
	f.expect("[1, 2, 3].map(() => client.callTool({ name: 'a' }).ok)", "[true,true,true]")
	f.await(`const call = () => client.requestAsync('tools/call', { name: 'a' });
		(async () => { for (let round = 0; round < 3; round++) await Promise.all([call(), call()]); })()`)
	return StdioProcesses()
}

func TestProcessThatServesOneCallAtATime(t *testing.T) {
	for mode, isSerial := range map[string]bool{"serial": true, "parallel": false} {
		t.Run(mode, func(t *testing.T) {
			found := recordOf(t, mode, "")
			turns := found.Turns["tools/call"]
			gap, alone := turns.GapMS/max(1, float64(turns.Behind)), turns.AloneMS/float64(turns.Alone)
			// Parallel calls are answered in any order, at nearly the same time.
			isInTurn := turns.Behind == 3 && gap > alone/2
			if turns.Alone != 3 || alone < milliseconds(workTime) || turns.Behind+turns.Overtook > 3 || isInTurn != isSerial {
				t.Errorf("%+v", turns)
			}
			if found.Starts != 1 || found.Silent != nil {
				t.Errorf("%+v", found)
			}
		})
	}
}

func TestProcessThatIsSilentAfterAnOverlap(t *testing.T) {
	found := recordOf(t, "lock", "timeout: '300ms'")
	silent := found.Silent
	if silent == nil || silent.Unanswered != 6 || silent.Processes != 1 || silent.Open != 2 || silent.Operation != "tools/call" ||
		silent.OpenMS > milliseconds(workTime) || silent.OverlapAt < silent.Since {
		t.Errorf("%+v", silent)
	}
}

// Calls that the client has given up are still answered in turn.
func TestProcessThatIsLate(t *testing.T) {
	found := recordOf(t, "serial", "timeout: '60ms'")
	if found.Late == 0 || found.Lost.Overlap > 0 || found.Turns["tools/call"].Overtook > 0 {
		t.Errorf("%+v", found)
	}
}

func TestProcessThatLosesAnswers(t *testing.T) {
	found := recordOf(t, "forgetful", "timeout: '200ms'")
	if found.Lost.Overlap < 2 || found.Lost.Alone != 0 || found.Late != 0 || found.Silent != nil {
		t.Errorf("%+v", found)
	}
}

func TestSilencesAreAdded(t *testing.T) {
	var none *Silence
	sum := none.with(Silence{Since: 3}).with(Silence{Since: 2, Unanswered: 4, Open: 5}).with(Silence{Since: 1, Unanswered: 2, Open: 7})
	if got := fmt.Sprintf("%+v", *sum); got != "{Processes:2 Unanswered:6 Since:1 OverlapAt:0 Open:7 OpenMS:0 Operation:}" {
		t.Error(got)
	}
}
