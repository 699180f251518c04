package catalog

import (
	"eventbatch/mapping/schema"
)

// The fields of events by path. The order is the order of a request's body. Fields of
// other resources have no names here: what is special to one of them stands in its table.
const (
	FieldEventID schema.ID = schema.FirstOwn + iota

	FieldName
	FieldStartAt
	FieldEndAt
	FieldTimezone
	FieldSlug
	FieldVisibility
	FieldDescriptionMD
	FieldCoverURL
	FieldCoverFile // local: a picture to upload
	FieldTheme
	FieldFont
	FieldTintColor
	FieldTags

	FieldMeetingURL
	FieldCreateMeeting
	FieldGeoAddress // geo_address_json
	FieldGeoType
	FieldGeoAddressText // geo_address_json.address
	FieldGeoPlaceID
	FieldGeoQuery
	FieldGeoDescription
	FieldAddress // short column: a manual location
	FieldPlaceID // short column: a google location
	FieldQuery   // short column: a lookup location
	FieldCoordinate
	FieldLatitude
	FieldLongitude
	FieldLocationVisibility

	FieldRegistrationOpen
	FieldMaxCapacity
	FieldWaitlistStatus
	FieldManyTickets // can_register_for_multiple_tickets
	FieldNameRequirement
	FieldPhoneRequirement
	FieldRegistrationQuestions
	FieldShowGuestList
	FieldTicketTypes
	FieldTaxConfig

	FieldRemindersDisabled
	FieldFeedbackEmail
	FieldFeedbackEnabled
	FieldFeedbackDelay
	FieldConfirmationEmailMD
	FieldPendingApprovalEmailMD
	FieldDeclinedEmailMD
	FieldSuppressEmail
	FieldShouldRefund

	FieldAPIID           // deprecated: event_id
	FieldEventAPIID      // deprecated: event_id
	FieldSuppressNotices // deprecated: suppress_email
	FieldGeoLatitude     // deprecated: coordinate.latitude
	FieldGeoLongitude    // deprecated: coordinate.longitude
	FieldZoomMeetingURL  // deprecated: meeting_url
	FieldCustomSource    // deprecated: a guest's utm_source, nothing of an event

	endOfEvents
)
