package schema

// The records of JSON cells.
var (
	// GeoAddress is a location (service: geo_address_json variants).
	GeoAddress = Record{
		Name:    "a location",
		Members: []Member{{Name: "type", Kind: Enum, Required: true, Values: GeoTypes}},
		By:      "type",
		Variants: []Variant{
			{Value: "manual", Members: []Member{{Name: "address", Kind: Text, Required: true}}},
			{
				Value:   "google",
				Members: []Member{{Name: "place_id", Kind: Text, Required: true}, {Name: "description", Kind: Text, Nullable: true}},
			},
			{Value: "lookup", Members: []Member{{Name: "query", Kind: Text, Required: true}}},
		},
		Why: ": an event has one place",
	}

	// Discount is what a coupon takes off (service: Endpoints, coupons/create).
	Discount = Record{
		Name:    "a discount",
		Members: []Member{{Name: "discount_type", Kind: Enum, Required: true, Values: []string{"percent", "amount"}}},
		By:      "discount_type",
		Variants: []Variant{
			{Value: "percent", Members: []Member{{Name: "percent_off", Kind: Number, Required: true}}},
			{Value: "amount", Members: []Member{
				{Name: "cents_off", Kind: Integer, Required: true},
				{Name: "currency", Kind: Enum, Required: true, Values: Currencies},
			}},
		},
	}

	// Coordinate is a point on the map (service: Event update input fields, coordinate).
	Coordinate = Record{
		Name:    "a coordinate",
		Members: []Member{{Name: "longitude", Kind: Number, Required: true}, {Name: "latitude", Kind: Number, Required: true}},
	}

	// FeedbackEmail is the mail after the event (service: Event update input fields, feedback_email).
	FeedbackEmail = Record{
		Name:    "the feedback e-mail",
		Members: []Member{{Name: "enabled", Kind: Bool, Required: true}, {Name: "delay", Kind: Duration}},
	}

	// Question is one registration question (service: RegistrationQuestion).
	Question = Record{
		Name: "a registration question",
		Members: []Member{
			{Name: "id", Kind: Text, Required: true},
			{Name: "label", Kind: Text, Required: true, Blank: true},
			{Name: "required", Kind: Bool, Required: true},
			{Name: "question_type", Kind: Enum, Required: true, Values: QuestionTypes},
		},
		By: "question_type",
		Variants: []Variant{
			{
				Value: "company",
				Members: []Member{
					{Name: "collect_job_title", Kind: Bool, Nullable: true},
					{Name: "job_title_label", Kind: Text, Nullable: true, Blank: true},
				},
			},
			{Value: "dropdown", Members: []Member{{Name: "options", Kind: Array, Required: true, Most: OptionsMax}}},
			{Value: "multi-select", Members: []Member{{Name: "options", Kind: Array, Required: true, Most: OptionsMax}}},
			{Value: "terms", Members: []Member{{Name: "terms", Kind: Object, Required: true, Record: &Terms}}},
		},
	}

	// Terms are what a terms question asks agreement to (service: RegistrationQuestion, Terms forms).
	Terms = Record{
		Name: "the terms",
		Members: []Member{
			{Name: "content_type", Kind: Enum, Required: true, Values: TermsForms},
			{Name: "collect_signature", Kind: Bool, Required: true},
		},
		By: "content_type",
		Variants: []Variant{
			{Value: "text", Members: []Member{{Name: "content_md", Kind: Markdown, Required: true}, {Name: "require_review", Kind: Bool}}},
			{Value: "link", Members: []Member{{Name: "url", Kind: URL, Required: true}}},
		},
	}

	// TicketType is one ticket type made together with its event (service: Rules from the change history).
	TicketType = Record{
		Name: "a ticket type",
		Members: []Member{
			{Name: "name", Kind: Text, Required: true},
			{Name: "type", Kind: Enum, Required: true, Values: TicketKinds},
			{Name: "require_approval", Kind: Bool},
			{Name: "is_hidden", Kind: Bool},
			{Name: "description", Kind: Markdown, Nullable: true, Blank: true},
			{Name: "valid_start_at", Kind: Day, Nullable: true},
			{Name: "valid_end_at", Kind: Day, Nullable: true},
			{Name: "max_capacity", Kind: Integer, Nullable: true},
			{Name: "cents", Kind: Integer, Nullable: true},
			{Name: "currency", Kind: Enum, Nullable: true, Values: Currencies},
			{Name: "is_flexible", Kind: Bool},
			{Name: "min_cents", Kind: Integer, Nullable: true},
		},
	}
)
