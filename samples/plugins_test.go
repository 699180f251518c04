package samples_test

import (
	"fmt"
	"maps"
	"strings"
)

const eventsCalendarHeader = "Event Name|Event UID|Event Description|Event Excerpt|Event Start Date|Event Start Time|Event End " +
	"Date|Event End Time|" +
	"Event Time Zone|All Day Event|Hide Event From Event Listings|Event Sticky in Month View|Feature Event|Event Venue Name|Event Venue " +
	"UID|" +
	"Event Organizer Name(s) or ID(s)|Event Organizer UID(s)|Event Show Map Link|Event Show Map|Event Cost|Event Currency Symbol|" +
	"Event Currency Position|Event Category|Event Tags|Event Website|Event Featured Image|Event Allow Comments|Event Allow Trackbacks " +
	"and Pingbacks"

const eventsCalendarOlderHeader = "EVENT NAME|EVENT EXCERPT|EVENT VENUE NAME|EVENT ORGANIZER NAME|EVENT START DATE|EVENT START " +
	"TIME|EVENT END DATE|" +
	"EVENT END TIME|ALL DAY EVENT|TIMEZONE|HIDE FROM EVENT LISTINGS|STICKY IN MONTH VIEW|EVENT CATEGORY|EVENT TAGS|EVENT COST|EVENT " +
	"CURRENCY SYMBOL|" +
	"EVENT CURRENCY POSITION|EVENT ISO CURRENCY CODE|EVENT FEATURED IMAGE|EVENT WEBSITE|EVENT SHOW MAP LINK|EVENT SHOW MAP|ALLOW " +
	"COMMENTS|" +
	"ALLOW TRACKBACKS AND PINGBACKS|EVENT DESCRIPTION"

// named gives rows of texts under the same few names, besides what all rows have.
func named(all map[string]string, names string, rows ...[]string) []map[string]string {
	var list []map[string]string
	for _, row := range rows {
		m := maps.Clone(all)
		if m == nil {
			m = map[string]string{}
		}
		for i, name := range strings.Split(names, "|") {
			m[name] = row[i]
		}
		list = append(list, m)
	}
	return list
}

func eventsCalendar() [][]string {
	all := map[string]string{
		"Event Time Zone": "America/Chicago", "Event Show Map": "TRUE", "Event Show Map Link": "1", "Event Currency Symbol": "$",
		"Event Currency Position": "prefix", "Event Organizer Name(s) or ID(s)": "Riverside Arts", "Event Allow Comments": "0",
		"Event Sticky in Month View": "FALSE",
	}
	return columns(strings.Split(eventsCalendarHeader, "|"), named(all,
		"Event Name|Event UID|Event Start Date|Event Start Time|Event End Date|Event End Time|All Day Event|Hide Event From Event "+
			"Listings|Event Venue Name|Event Cost|Event Website|Event Featured Image|Event Description",
		[]string{
			"Jazz brunch", "tec-101", "2027-04-04", "11:00:00", "2027-04-04", "13:30:00", "FALSE", "FALSE", "Riverside Hall", "25",
			"https://example.org/jazz", "https://example.org/wp-content/jazz.jpg",
			"<p>Live trio, <strong>two sets</strong>.</p>\n<p>Doors at 10:30.</p>",
		},
		[]string{
			"Clay for children", "tec-102", "2027-04-10", "10:00:00", "2027-04-10", "12:00:00", "FALSE", "FALSE", "Studio B", "12",
			"", "", "<!-- wp:list -->\n<ul><li>Ages 6&ndash;10</li><li>Bring an apron</li></ul>\n<!-- /wp:list -->",
		},
		[]string{
			"Art fair", "tec-103", "2027-05-06", "00:00:00", "2027-05-08", "23:59:59", "TRUE", "FALSE", "Riverside Hall", "", "", "",
			`<h2>Hours</h2><table><tr><th>Day</th><th>Open</th></tr><tr><td>Thu</td><td>10–6</td></tr></table><img ` +
				`src="https://example.org/fair.jpg" alt="The hall">`,
		},
		[]string{
			"Film: The Long River", "tec-104", "05/06/2027", "7:00 PM", "05/06/2027", "9:15 PM", "0", "0", "Riverside Hall", "8", "",
			"", `See the trailer:<iframe src="https://www.youtube.com/embed/aqz-KE-bpKQ"></iframe><script>track()</script>`,
		},
		[]string{
			"Talk after the film", "tec-105", "06-05-2027", "9:30 PM", "06-05-2027", "10:30 PM", "FALSE", "FALSE", "Riverside Hall",
			"", "", "", "With the director",
		},
		[]string{
			"Members' preview", "tec-106", "2027-05-14", "18:00:00", "2027-05-14", "20:00:00", "FALSE", "TRUE", "Gallery North", "",
			"", "", "Wine & words.\n\nPlease <a href=\"mailto:friends@example.org\">write to us</a>.",
		},
		[]string{
			"Sketching outdoors", "tec-107", "2027-05-22", "9:00 AM", "2027-05-22", "12:00 PM", "FALSE", "FALSE", "Lakeside Meadow",
			"", "", "", "",
		},
		[]string{
			"Open mic", "tec-108", "2027-05-28", "20:00:00", "2027-05-28", "23:00:00", "", "", "", "", "", "",
			"<p>Sign up at the door</p>",
		},
	)...)
}

func eventsCalendarOlder() [][]string {
	all := map[string]string{
		"TIMEZONE": "America/New_York", "EVENT CURRENCY SYMBOL": "$", "EVENT SHOW MAP": "TRUE",
		"EVENT ORGANIZER NAME": "Harbor Society",
	}
	return columns(strings.Split(eventsCalendarOlderHeader, "|"), named(all,
		"EVENT NAME|EVENT VENUE NAME|EVENT START DATE|EVENT START TIME|EVENT END DATE|EVENT END TIME|ALL DAY EVENT|HIDE FROM EVENT "+
			"LISTINGS|EVENT DESCRIPTION",
		[]string{
			"Boat parade", "Harbor Pier", "05/06/2027", "7:00 PM", "05/06/2027", "9:00 PM", "FALSE", "FALSE",
			"Lights on <em>all</em> boats",
		},
		[]string{"Shanty choir", "Harbor Pier", "05/13/2027", "6:30 PM", "05/13/2027", "8:00 PM", "FALSE", "FALSE", ""},
		[]string{"Harbor days", "Harbor Pier", "07-08-2027", "", "09-08-2027", "", "TRUE", "FALSE", "Three days\nof boats"},
		[]string{"Captains' table", "Old Customs House", "08/20/2027", "7:00 PM", "08/20/2027", "10:00 PM", "FALSE", "TRUE", ""},
		[]string{
			"Knots for beginners", "Old Customs House", "09/04/2027", "10:00 AM", "09/04/2027", "11:30 AM", "FALSE", "FALSE",
			"<ol><li>Bowline</li><li>Sheet bend</li></ol>",
		},
		[]string{"Fog horn concert", "Harbor Pier", "09/11/2027", "5:00 PM", "09/11/2027", "5:45 PM", "FALSE", "FALSE", ""},
		[]string{"Beach clean-up", "Harbor Pier", "2027-09-18", "8:00 AM", "2027-09-18", "11:00 AM", "FALSE", "FALSE", "Gloves are there"},
		[]string{"Winter moorings", "Old Customs House", "11/05/2027", "6:00 PM", "11/05/2027", "7:00 PM", "FALSE", "FALSE", ""},
	)...)
}

var venues = [][]string{
	{
		"Venue Name", "Venue Description", "Venue Country", "Venue Address", "Venue Address 2", "Venue City", "Venue State/Province",
		"Venue Zip", "Venue Overwrite", "Venue Latitude", "Venue Longitude", "Venue Phone", "Venue Website", "Venue Featured Image",
	},
	{"Riverside Hall", "", "United States", "12 Water Street", "", "Chicago", "IL", "60601", "", "41.8881", "-87.6233", "", "", ""},
	{"Studio B", "", "United States", "12 Water Street", "2nd floor", "Chicago", "IL", "60601", "", "", "", "", "", ""},
	{"Gallery North", "", "United States", "400 Shore Drive", "", "Evanston", "IL", "60202", "", "", "", "", "", ""},
	{"Harbor Pier", "", "United States", "77 Pier Avenue", "", "Portland", "ME", "04101", "", "43.6570", "-70.2480", "", "", ""},
	{"Old Customs House", "", "United States", "1 Wharf Lane", "", "Portland", "ME", "04101", "", "", "", "", "", ""},
}

func eventbriteOrders() [][]string {
	header := "Order ID|Order date|Attendee first name|Attendee last name|Attendee email|Phone number|Purchaser city|Purchaser " +
		"state|Purchaser country|" +
		"Event name|Event ID|Event start date|Event start time|Event timezone|Event location|Ticket quantity|Ticket tier|Ticket " +
		"type|Currency|Ticket price|" +
		"Buyer first name|Buyer last name|Buyer email|Seating location 1|Seating location 2|Seating location 3|Barcode number"
	events := [][]string{
		{
			"Letterpress weekend", "812345678901", "2027-04-17", "10:00:00", "America/Los_Angeles",
			"Harbor Loft, 77 Pier Avenue, Los Angeles, CA",
		},
		{"Paper marbling", "812345678902", "2027-05-01", "18:00:00", "America/Los_Angeles", "Harbor Loft, 77 Pier Avenue, Los Angeles, CA"},
		{"Type walk", "812345678903", "2027-05-09", "14:00:00", "Europe/London", "Canal House, 3 Lock Lane, London"},
		{"Online critique", "812345678904", "2027-05-20", "19:30:00", "UTC", ""},
	}
	var rows [][]string
	for n, e := range []int{0, 0, 1, 0, 2, 1, 1, 3, 2, 0, 3, 2} {
		first := []string{"Ada", "Bela", "Chidi", "Dana", "Emil", "Fay"}[n%6]
		kind, price := "General", "45.00"
		if n%4 == 0 {
			kind, price = "Student", "0.00"
		}
		row := append([]string{
			fmt.Sprintf("90000000%02d", n+1), "2027-03-01 12:00:00", first, "Example", strings.ToLower(first) + "@example.org", "1",
			"USD", kind, price, fmt.Sprintf("70000000000000%02d", n+1),
		}, events[e]...)
		rows = append(rows, row)
	}
	return columns(strings.Split(header, "|"), named(nil,
		"Order ID|Order date|Attendee first name|Attendee last name|Attendee email|Ticket quantity|Currency|Ticket type|Ticket price|"+
			"Barcode number|"+
			"Event name|Event ID|Event start date|Event start time|Event timezone|Event location", rows...)...)
}

func localist() [][]string {
	header := "Title|Description|Date From|Date To|Recurrence|Start Time|End Time|Location|Address|City|State|Event " +
		"Website|Room|Keywords|Tags|Photo URL|Ticket URL|" +
		"Cost|Hashtag|Group|Department|Allow User Activity|Allow User Interest|Visibility|Featured Tabs|Sponsored|Venue Page " +
		"Only|Widget Only|Channels Only|" +
		"Exclude From Trending|Event Types|Status|External ID"
	all := map[string]string{
		"City": "Ithaca", "State": "NY", "Allow User Activity": "1", "Allow User Interest": "yes", "Event Types": "Public Events",
	}
	return columns(strings.Split(header, "|"), named(all,
		"Title|Description|Date From|Date To|Recurrence|Start Time|End Time|Location|Room|Visibility|Status|External ID",
		[]string{
			"Observatory open night", "<p>Weather <em>permitting</em></p>", "2027-04-02", "2027-04-30", "F", "8:30 PM", "12:30 AM",
			"Hilltop Observatory", "", "", "", "LOC-1",
		},
		[]string{
			"Drop-in tutoring", "Mathematics and statistics", "2027-04-05", "2027-04-16", "M,W,F", "4:00 PM", "6:00 PM",
			"Learning Center", "Room 12", "", "Live", "LOC-2",
		},
		[]string{"Dean's lecture", "", "2027-04-08", "2027-04-08", "", "5:00 PM", "6:30 PM", "Statler Theatre", "", "Public", "", "LOC-3"},
		[]string{
			"Faculty senate", "", "2027-04-14", "2027-04-14", "", "3:30 PM", "5:00 PM", "Old Main", "Senate Chamber", "Restricted",
			"", "LOC-4",
		},
		[]string{"Spring games", "", "2027-04-17", "2027-04-17", "", "1:00 PM", "4:00 PM", "Athletic Fields", "", "", "Canceled", "LOC-5"},
		[]string{
			"Weekend market", "Local farms", "2027-05-01", "2027-05-16", "Sa,Su", "9:00 AM", "1:00 PM", "Arts Quad", "", "", "",
			"LOC-6",
		},
		[]string{"Study day", "", "2027-05-12", "2027-05-12", "", "9:00 AM", "9:00 PM", "Main Library", "", "Unlisted", "", "LOC-7"},
		[]string{
			"Exhibition: Maps", "Tuesday to Thursday", "2027-05-18", "2027-05-27", "T,W,Th", "10:00 AM", "5:00 PM", "Map Room", "",
			"", "", "LOC-8",
		},
	)...)
}

var eventsManager = [][]string{
	{
		"uid", "url", "summary", "dtstart", "dtend", "categories", "freq", "byday", "interval", "until", "post_content",
		"event_spaces", "location_name", "location_address", "location_town", "location_state", "location_postcode",
		"location_country", "location_region", "location_latitude", "location_longitude",
	},
	{
		"em-1@example.org", "https://example.org/events/walk", "Woodland walk", "03/21/2027 11:00:00", "03/21/2027 13:00:00",
		"Outdoors", "", "", "", "", "<p>Meet at the <b>gate</b></p>", "20", "Forest Gate", "Wood Lane", "Ashdown", "", "TN22", "GB",
		"", "51.05", "0.05",
	},
	{
		"em-2@example.org", "", "Beekeeping course", "04/06/2027 18:30:00", "04/06/2027 20:00:00", "Courses", "weekly", "2", "1",
		"04/27/2027", "Four evenings", "12", "Village Hall", "1 High Street", "Ashdown", "", "TN22", "GB", "", "0.000000",
		"0.000000",
	},
	{
		"em-3@example.org", "", "Holiday club", "04/12/2027 09:00:00", "04/12/2027 15:00:00", "Children", "daily", "", "",
		"04/14/2027", "", "0", "Village Hall", "1 High Street", "Ashdown", "", "TN22", "GB", "", "", "",
	},
	{
		"em-4@example.org", "", "Parish lunch", "05/02/2027 12:30:00", "05/02/2027 14:30:00", "", "", "", "", "", "", "40",
		"Village Hall", "1 High Street", "Ashdown", "", "TN22", "GB", "", "", "",
	},
	{
		"em-5@example.org", "", "Film night", "05/07/2027 19:30:00", "05/07/2027 22:00:00", "Film", "weekly", "5", "2", "06/04/2027",
		"", "60", "Village Hall", "1 High Street", "Ashdown", "", "TN22", "GB", "", "", "",
	},
	{
		"em-6@example.org", "", "Plant sale", "05/08/2027 10:00:00", "05/08/2027 12:00:00", "", "", "", "", "",
		"Bring a box, & cash", "0", "Market Place", "", "Ashdown", "", "", "GB", "", "", "",
	},
	{
		"em-7@example.org", "", "Church tower tour", "06/12/2027 14:00:00", "06/12/2027 15:00:00", "", "", "", "", "", "", "10",
		"St Mary", "Church Lane", "Ashdown", "", "", "GB", "", "", "",
	},
	{
		"em-8@example.org", "", "Midsummer fire", "06/19/2027 21:00:00", "06/20/2027 00:30:00", "", "", "", "", "", "", "0",
		"Common", "", "Ashdown", "", "", "GB", "", "", "",
	},
}

var eventON = [][]string{
	{
		"publish_status", "event_id", "featured", "color", "event_name", "event_description", "event_start_date", "event_start_time",
		"event_end_date", "event_end_time", "location_name", "event_location", "event_organizer", "evcal_subtitle", "all_day",
		"hide_end_time", "event_type", "image_url",
	},
	{
		"publish", "4101", "no", "206177", "Rooftop yoga", "<p>Mats are there</p>", "04/10/2027", "8:00:AM", "04/10/2027", "9:00:AM",
		"Sky Terrace", "500 Spring Street, Seattle, WA", "Body Works", "", "no", "no", "12", "",
	},
	{
		"publish", "4102", "yes", "206177", "Makers' market", "Eighty stalls", "04/17/2027", "12:00:AM", "04/18/2027", "11:59:PM",
		"Pier 9", "9 Alaskan Way, Seattle, WA", "", "", "yes", "no", "14", "",
	},
	{
		"publish", "4103", "no", "206177", "Silent disco", "", "04/24/2027", "9:30:PM", "04/25/2027", "1:00:AM", "Warehouse 2",
		"22 Dock Road, Seattle, WA", "", "", "no", "yes", "12", "",
	},
	{
		"draft", "4104", "no", "206177", "Chef's table", "Menu follows", "05/01/2027", "7:00:PM", "05/01/2027", "10:00:PM",
		"Kitchen Lab", "", "", "", "no", "no", "15", "",
	},
	{
		"private", "4105", "no", "206177", "Sponsors' evening", "", "05/06/2027", "6:00:PM", "05/06/2027", "8:00:PM", "Sky Terrace",
		"500 Spring Street, Seattle, WA", "", "", "no", "no", "12", "",
	},
	{
		"trash", "4106", "no", "206177", "Cancelled walk", "", "05/07/2027", "6:00:PM", "05/07/2027", "8:00:PM", "", "", "", "",
		"no", "no", "12", "",
	},
	{
		"publish", "4107", "no", "206177", "Printmaking", "Two hours,<br/>two colours", "05/13/2027", "12:30:PM", "05/13/2027",
		"2:30:PM", "Ink House", "31 Pine Street, Seattle, WA", "", "", "no", "no", "13", "",
	},
	{
		"publish", "4108", "no", "206177", "Midnight screening", "", "05/14/2027", "12:00:AM", "05/14/2027", "2:00:AM", "Roxy",
		"4 Pike Street, Seattle, WA", "", "", "no", "no", "16", "",
	},
}
