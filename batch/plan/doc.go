// Package plan decides what becomes of each row before anything is sent.
//
// A [Planner] takes the rows one by one in file order and makes each an [Op]: an
// [Action], the reason for it in words, and for an op that sends the operation of the
// catalog and the body of its request. It is pure: what earlier runs did comes from
// [Memory], what the service has from the functions of [Config].
//
//	create     the key is new, or what it named is gone; without a key the slug, or the name and start
//	update     the record exists, and the row says other values
//	cancel     the row says CANCEL, or DELETE for a record of another resource
//	unchanged  the same values were sent before
//	skip       the row, or a filter, asks for nothing
//	conflict   the row and the platform have both changed the event
//	blocked    another run, or the service's answer, has to come first
//	invalid    the row has errors, or names what does not exist
//
// An event is known for good by its key, else its event id, else its slug, else its name
// and start ([Key]). A new event gets a slug whose ending is a hash of its calendar and
// key ([DeriveSlug]): the second create of a row is refused, and a workspace that has lost
// its journals finds its events again by listing them ([SlugIndex]).
//
// A record of another resource is known by what it belongs to and its own name,
// such as a guest by the event and the e-mail address. Its row is a wish,
// not a call: where the record does not exist it is created, where it exists and differs
// it is updated. Whether it exists is remembered, or listed by the service, once an event.
// The catalog says which operation does it, which fields cannot be changed any more, and
// whether rows can be gathered into one request: these have the same Group.
//
// The event of a record is looked for among the rows of the same plan first (parent.go), which
// come before it. One that is made there has no id yet: the op has the number of the one that
// makes it as After, and gets the id once that is done. An event that is neither made there
// nor there already blocks its records. What a row names, such as the ticket type of a coupon, is
// looked for in the same way (refer.go): until it is made the body has its name, which is kept in Names. A
// calendar that is made there has no lane yet: its rows are blocked until the next plan (calendar.go).
//
// Whether a row is unchanged is decided by a hash of its content: the values that it sets
// in canonical form, with the hash of its picture, whichever column or format they came
// from. Values that only a create takes have a part of their own in it, since no update
// can bring them (content.go). The hash that was last sent with success is remembered.
//
// Each row goes the same way ([Planner.Add]), one type and its files a step, which all share the row: an identity
// finds out which record it is about, and a home where that is (identify.go, parent.go, calendar.go), a recall what
// runs know of it, a content what the row asks for, a lookup whether the service has it (find.go), a reference what
// it names (refer.go). A choice says what is to be done (choose.go, change.go), a creation makes what is not there
// (create.go), a comparison sets the two sides of a record that is live beside each other (compare.go, align.go), and a
// conclusion decides which fields are sent (conclude.go). Each says what it has decided to the verdict of the row, which
// makes the body (verdict.go, request.go). A note keeps the row for those below it, among the rows that are above them
// (note.go, above.go).
//
// In a comparison with what is live each field has three sides: mine in the row, live on the platform, and
// base, what the two last agreed on. What only the row has changed is sent, what only the
// platform has changed is left, what both have changed to different values is a conflict, and
// fields that stand together have one fate (merge.go). Values are compared as the platform
// keeps them ([value.Compare]). Base is no record of its own:
//
//	the row is what was sent last, by its hash   base is mine: nothing of it has moved
//	the row of an export                         base is its baseline, of a cell that was not
//	                                             touched, or not sent since
//	any other                                    base is what runs have sent for the field last,
//	                                             read from their plans
//
// What the platform does not tell has not moved there. An update keeps the fields that it
// changes as they were, the before-image.
//
// An undo gives the same planner a [Reversal] for each op that is taken back ([Planner.Undo], undo.go). It becomes a
// row that says what the fields were: their before-image, or what an earlier run had sent. What the run sent is the
// base, and the two are merged with what is live as any row is, where the platform and later runs are right
// (restore.go). What was made is taken away by the opposite operation of the catalog. The hash of the op is that of the
// one which it takes back, so that a row which has not changed is found to be undone.
package plan
