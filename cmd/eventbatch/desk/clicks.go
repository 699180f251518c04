package desk

import "slices"

// click says what is clicked on the page in the place of what a hint has a person type. Hints are made where problems are, once
// for all who read them: the page says these words for those of the command line.
type click struct {
	Typed string `json:"typed"` // a regular expression, the same in Go and in JavaScript
	Click string `json:"click"`
}

// asking is what the tabs Columns and Questions ask about.
var asking = []click{
	{`^--answer .+: (.+)$`, "$1"},
	{`(say|check) --date-order( mdy or dmy)?`, "say under Questions in which order dates are written"},
	{`say --header-row, or (write a row of names above the data)`, "$1"}, // there is no row to be clicked on
	{`(say|correct) --header-row`, "click on the row of the headers under Columns"},
	{`say --timezone( with a zone such as [^ ,]+)?`, "say under Questions in which time zone"},
	{`say --sheet( with a name or a pattern; --sheet "\*" reads all)?`, "choose the sheet under Columns"},
	{
		`name the columns after fields \([^()]* lists them\), or have eventbatch map propose a mapping`,
		"say under Columns what each becomes",
	},
	{`name a preset with --mapping, or have a mapping proposed by eventbatch map`, "say under Columns what each becomes"},
	{`have eventbatch map propose a mapping for it`, "say there what each of its columns becomes"},
	{`add it to values in the mapping file`, "say under Questions what it becomes"},
	{`name it( under columns)? in the mapping`, "say under Columns what it becomes"},
	{`list them under sheet in the mapping if their rows are meant to be read, else under skip_sheets`, "choose the sheet under Columns"},
	{`list it under ignore( in a mapping file)?`, "leave it behind"},
	{
		`add a column key with an id of your own for each row`,
		"say under Columns which one becomes the Key of each row, or add one to the file",
	},
	{`let eventbatch map ask how`, "say under Questions how"},
	{`let eventbatch map ask which`, "say under Questions which"},
	{`have eventbatch map write into a mapping that`, "say under Questions that"},
	{`run eventbatch map, which asks for it`, "say it under Questions"},
	{`where that is the same, eventbatch map writes so into a mapping`, "where that is the same, say so under Questions"},
	{`eventbatch map asks what`, "say under Questions what"},
	{`eventbatch map asks and writes the answer into a mapping`, "or say it under Questions"},
	{`eventbatch map takes it for`, "under Columns it can be taken for"},
}

// deciding is what is decided on the tab of the plan.
var deciding = []click{
	{`^correct (\w+), or leave \w+ out with --skip-invalid`, `correct $1 under Rows, or click on "Leave the rows with mistakes out"`},
	{`say (--compare live )?--on-conflict mine to make the \S+ again, or theirs to let it go`, "choose in the plan who is right"},
	{`: (keys are missing; )?say --rename .+, or --rename none$`, ": is it the same event?"},
	{`: if (it|that) is another event, say --rename none$`, ""},
	{`(say )?(--compare live )?--(on-conflict|first) mine or theirs`, "choose in the plan who is right"},
	{`say --first mine to send the row, theirs to leave what the platform has`, "choose in the plan who is right"},
	{`(eventbatch apply )?\S+ looks at its event and goes on by itself`, "go on with the run, which looks at its event"},
	{
		`(eventbatch apply )?\S+ looks again; or look at the calendar yourself, then add --adopt ROW=EVENT_ID or --not-created ROW`,
		"go on with the run, which looks again; or look at the calendar yourself, and say below what is there",
	},
	{
		`: --rename OLD=NEW names one, and --rename none says that the new ones are new events`,
		"; if they have not, the new ones are new events",
	},
	{`finish it first: eventbatch apply \S+`, "go on with it first, in the plan"},
	{`undo it again: eventbatch undo \S+`, "take it back again, under Runs"},
	{`import the file again with --forget-missing`, "import the file on a command line with --forget-missing"},
}

// others are what nobody clicks on: whoever opens the file says it there.
var others = []click{
	{`(^|before |as |if |leave |fill )(start|end)_at( |:|$)`, "$1$2$3"}, // which the page names so
	{`; eventbatch template makes such a file$`, ", and open that"},
	{`, or say --set `, ", or open the file with --set "},
	{` \([^()]* lists them( all)?\)`, ""},
	{`^eventbatch map show (\S+) prints it`, "$1 comes with eventbatch"},
	{`say --forget-missing`, "plan it on a command line with --forget-missing"},
	{`(say|say it with|say which with) (--[a-z-]+)`, "have the file opened with $2"},
	{`(^|, )with (--[a-z-]+)`, "${1}in a page that is opened with $2"},
}

// clicks returns what is clicked on this page.
func (c *Config) clicks() []click {
	list := []click{}
	if c.Mapping.Save != "" {
		list = slices.Concat(list, asking)
	}
	if c.Sending.Plan != nil {
		list = slices.Concat(list, deciding)
	}
	return slices.Concat(list, others)
}
