package catalog

import (
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

var (
	descriptionAliases = []string{"details", "beschreibung", "descriptif", "descripción", "descrizione", "omschrijving"}
	fromAliases        = []string{"sale starts", "valid from", "verkaufsstart", "gültig ab", "début de vente", "venta desde"}
	untilAliases       = []string{"sale ends", "valid until", "verkaufsende", "gültig bis", "fin de vente", "venta hasta"}
)

// TicketTypes are what guests of an event can register for (service: Endpoints, ticket-types).
var TicketTypes = &schema.Resource{
	Name: "ticket-types", One: "ticket type", Doc: "what guests of an event can register for",
	Also:   []string{"tickets", "ticket prices", "prices", "tiers", "preise", "billets", "entradas"},
	Parent: "event", Within: "ticket_types",
	Naming: schema.Naming{ID: "ticket_type_id", Named: "name"},
	Lists:  schema.Lists{Listed: "events/ticket-types/list", Entries: "entries"},
	Rules: []schema.Rule{
		{Kind: schema.Before, A: "valid_start_at", B: "valid_end_at"},
		{Kind: schema.Unless, A: "cents", B: "type", Is: "free"},
		{Kind: schema.Unless, A: "min_cents", B: "type", Is: "free"},
		{
			Kind: schema.Wants, A: "cents", B: "type", Is: "paid", But: "is_flexible",
			Hint: "say what it costs: 15.00 in a column price, or 1500 in cents; or have it be free",
		},
	},
	Own: []schema.Field{
		parentField("event that the ticket type is of"),
		idField("ticket_type_id", "event_ticket_type_id", "ticket type", "ttype-1a2b", "ticket id", "ticket type id"),
		{
			Path: "name", Kind: schema.Text, On: schema.OnBoth, Required: schema.OnCreate | schema.OnUpdate | schema.OnDelete,
			Aliases: []string{
				"ticket", "ticket type", "ticket name", "ticketart", "ticketname", "kategorie", "preiskategorie", "billet",
				"type de billet", "tarif", "entrada", "tipo de entrada", "biglietto", "bilhete",
			},
			About: schema.About{
				Doc: "name, by which a ticket type of an event is known", Rule: "once for each event", Example: "Standard",
				Section: endpoints,
			},
		},
		{
			Path: "type", With: "price", Kind: schema.Enum, On: schema.OnBoth, Required: schema.OnCreate, Values: TicketKinds,
			Aliases: []string{"ticket kind", "art", "genre", "tipo"},
			About:   schema.About{Doc: "whether the ticket costs something", Example: "paid", Section: rulesSection},
		},
		{
			Path: "price", Kind: schema.Text, Local: true, Becomes: "cents",
			Aliases: []string{
				"ticket price", "unit price", "cost", "preis", "ticketpreis", "eintrittspreis", "eintritt", "prix", "prix du billet",
				"precio", "precio de la entrada", "prezzo", "prezzo del biglietto", "preço", "prijs",
			},
			About: schema.About{
				Doc:     "price as people write it, which becomes cents, the currency where its sign says it, and the type",
				Rule:    "digits with the sign or the code of a currency perhaps, or free; beside it type and cents are not needed",
				Example: "15.00",
			},
		},
		{
			Path: "cents", With: "price", Label: "Price in cents", Kind: schema.Integer, Minor: true, On: schema.OnBoth, Nullable: true,
			Check:   checkNotNegative,
			Aliases: []string{"price cents", "price (cents)", "preis in cent", "prix en centimes", "precio en céntimos"},
			About: schema.About{
				Doc:  "price, in cents; 3000 of a currency that has none, such as jpy, is 3000",
				Rule: "a whole number, not negative; not of a free ticket", Example: "1500", Section: rulesSection,
			},
		},
		{
			Path: "currency", With: "price", Kind: schema.Enum, On: schema.OnBoth, Nullable: true, Values: value.Currencies,
			Aliases: []string{"währung", "devise", "moneda", "divisa", "valuta", "moeda"},
			About:   schema.About{Doc: "currency of cents and min_cents", Example: "eur", Section: "Currency"},
		},
		{
			Path: "is_flexible", With: "price", Label: "Pay what you want", Kind: schema.Bool, On: schema.OnBoth,
			About: schema.About{Doc: "true lets the guest say the price", Default: "false", Example: "false", Section: rulesSection},
		},
		{
			Path: "min_price", Label: "Least price", Kind: schema.Text, Local: true, Becomes: "min_cents",
			Aliases: []string{"minimum price", "mindestpreis", "prix minimum", "precio mínimo"},
			About: schema.About{
				Doc:  "least price as people write it, which becomes min_cents",
				Rule: "digits with the sign or the code of a currency perhaps", Example: "5.00",
			},
		},
		{
			Path: "min_cents", With: "price", Label: "Least price in cents", Kind: schema.Integer, Minor: true, On: schema.OnBoth,
			Nullable: true,
			Check:    checkNotNegative,
			About: schema.About{
				Doc: "least price that the guest may say, in cents", Rule: "a whole number, not negative; not of a free ticket",
				Example: "500", Section: rulesSection,
			},
		},
		{
			Path: "max_capacity", Label: "Seats", Kind: schema.Integer, On: schema.OnBoth, Nullable: true, Check: checkNotNegative,
			Aliases: []string{
				"capacity", "quantity", "plätze", "kontingent", "anzahl", "capacité", "quantité", "capacidad", "cantidad", "aforo",
			},
			About: schema.About{
				Doc: "tickets of this type at most; null for no limit", Rule: "a whole number, not negative", Example: "80",
				Section: endpoints,
			},
		},
		{
			Path: "require_approval", Label: "Approval needed", Kind: schema.Bool, On: schema.OnBoth,
			About: schema.About{
				Doc: "true has somebody approve each registration", Default: "false", Example: "false", Section: endpoints,
			},
		},
		{
			Path: "is_hidden", Label: "Hidden", Kind: schema.Bool, On: schema.OnBoth,
			Aliases: []string{"hidden", "versteckt", "caché", "oculto"},
			About: schema.About{
				Doc: "true keeps the ticket type off the event's page", Default: "false", Example: "false", Section: endpoints,
			},
		},
		{
			Path: "description", Kind: schema.Markdown, On: schema.OnBoth, Nullable: true, Aliases: descriptionAliases,
			About: schema.About{Doc: "what the ticket is for", Example: "One seat, with a drink", Section: endpoints},
		},
		{
			Path: "valid_start_at", Label: "On sale from", Kind: schema.Day, On: schema.OnBoth, Nullable: true, Aliases: fromAliases,
			About: schema.About{
				Doc: "first day on which it can be had", Rule: "a day, not a time", Example: "2027-03-01", Section: endpoints,
			},
		},
		{
			Path: "valid_end_at", Label: "On sale until", Kind: schema.Day, On: schema.OnBoth, Nullable: true, Aliases: untilAliases,
			About: schema.About{
				Doc: "last day on which it can be had", Rule: "a day, not before valid_start_at", Example: "2027-04-30", Section: endpoints,
			},
		},
	},
}

// idField is the column of the service's id of a record, which an update and a delete name
// the record by. Where it is blank, the id is known from an earlier run or from a list.
func idField(path, as, one, example string, aliases ...string) schema.Field {
	return schema.Field{
		Path: path, As: as, Reads: "id", Kind: schema.Identifier, On: schema.OnUpdate | schema.OnDelete, Aliases: aliases,
		About: schema.About{
			Doc: "id of a " + one + " that exists", Default: "found by the name", Example: example, Section: endpoints,
		},
	}
}
