package catalog

import (
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

// The records of JSON cells.
var (
	// GeoAddress is a location (service: geo_address_json variants).
	GeoAddress = schema.Record{
		Name:    "a location",
		Members: []schema.Member{{Name: "type", Kind: schema.Enum, Required: true, Values: GeoTypes}},
		By:      "type",
		Variants: []schema.Variant{
			{Value: "manual", Members: []schema.Member{{Name: "address", Kind: schema.Text, Required: true}}},
			{
				Value: "google",
				Members: []schema.Member{
					{Name: "place_id", Kind: schema.Text, Required: true}, {Name: "description", Kind: schema.Text, Nullable: true},
				},
			},
			{Value: "lookup", Members: []schema.Member{{Name: "query", Kind: schema.Text, Required: true}}},
		},
		Why: ": an event has one place",
	}

	// Discount is what a coupon takes off (service: Endpoints, coupons/create).
	Discount = schema.Record{
		Name:    "a discount",
		Members: []schema.Member{{Name: "discount_type", Kind: schema.Enum, Required: true, Values: []string{"percent", "amount"}}},
		By:      "discount_type",
		Variants: []schema.Variant{
			{Value: "percent", Members: []schema.Member{{Name: "percent_off", Kind: schema.Number, Required: true}}},
			{Value: "amount", Members: []schema.Member{
				{Name: "cents_off", Kind: schema.Integer, Required: true},
				{Name: "currency", Kind: schema.Enum, Required: true, Values: value.Currencies},
			}},
		},
	}

	// Coordinate is a point on the map (service: Event update input fields, coordinate).
	Coordinate = schema.Record{
		Name: "a coordinate",
		Members: []schema.Member{
			{Name: "longitude", Kind: schema.Number, Required: true}, {Name: "latitude", Kind: schema.Number, Required: true},
		},
	}

	// FeedbackEmail is the mail after the event (service: Event update input fields, feedback_email).
	FeedbackEmail = schema.Record{
		Name:    "the feedback e-mail",
		Members: []schema.Member{{Name: "enabled", Kind: schema.Bool, Required: true}, {Name: "delay", Kind: schema.Duration}},
	}

	// Question is one registration question (service: RegistrationQuestion).
	Question = schema.Record{
		Name: "a registration question",
		Members: []schema.Member{
			{Name: "id", Kind: schema.Text, Required: true},
			{Name: "label", Kind: schema.Text, Required: true, Blank: true},
			{Name: "required", Kind: schema.Bool, Required: true},
			{Name: "question_type", Kind: schema.Enum, Required: true, Values: QuestionTypes},
		},
		By: "question_type",
		Variants: []schema.Variant{
			{
				Value: "company",
				Members: []schema.Member{
					{Name: "collect_job_title", Kind: schema.Bool, Nullable: true},
					{Name: "job_title_label", Kind: schema.Text, Nullable: true, Blank: true},
				},
			},
			{Value: "dropdown", Members: []schema.Member{{Name: "options", Kind: schema.Array, Required: true, Most: OptionsMax}}},
			{Value: "multi-select", Members: []schema.Member{{Name: "options", Kind: schema.Array, Required: true, Most: OptionsMax}}},
			{Value: "terms", Members: []schema.Member{{Name: "terms", Kind: schema.Object, Required: true, Record: &Terms}}},
		},
	}

	// Terms are what a terms question asks agreement to (service: RegistrationQuestion, Terms forms).
	Terms = schema.Record{
		Name: "the terms",
		Members: []schema.Member{
			{Name: "content_type", Kind: schema.Enum, Required: true, Values: TermsForms},
			{Name: "collect_signature", Kind: schema.Bool, Required: true},
		},
		By: "content_type",
		Variants: []schema.Variant{
			{
				Value: "text",
				Members: []schema.Member{
					{Name: "content_md", Kind: schema.Markdown, Required: true}, {Name: "require_review", Kind: schema.Bool},
				},
			},
			{Value: "link", Members: []schema.Member{{Name: "url", Kind: schema.URL, Required: true}}},
		},
	}

	// TicketType is one ticket type made together with its event (service: Rules from the change history).
	TicketType = schema.Record{
		Name: "a ticket type",
		Members: []schema.Member{
			{Name: "name", Kind: schema.Text, Required: true},
			{Name: "type", Kind: schema.Enum, Required: true, Values: TicketKinds},
			{Name: "require_approval", Kind: schema.Bool},
			{Name: "is_hidden", Kind: schema.Bool},
			{Name: "description", Kind: schema.Markdown, Nullable: true, Blank: true},
			{Name: "valid_start_at", Kind: schema.Day, Nullable: true},
			{Name: "valid_end_at", Kind: schema.Day, Nullable: true},
			{Name: "max_capacity", Kind: schema.Integer, Nullable: true},
			{Name: "cents", Kind: schema.Integer, Nullable: true},
			{Name: "currency", Kind: schema.Enum, Nullable: true, Values: value.Currencies},
			{Name: "is_flexible", Kind: schema.Bool},
			{Name: "min_cents", Kind: schema.Integer, Nullable: true},
		},
	}
)
