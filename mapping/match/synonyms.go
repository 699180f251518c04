package match

import (
	"slices"
	"strings"

	"eventbatch/mapping/schema"
)

// truths are words for yes and no that the reading of a cell does not know, folded.
var truths = wordTable(map[string]string{
	"true":  "true ja wahr j x si s verdadero cierto oui o vrai checked enabled active aktiv activo actif ein an yes y on",
	"false": "false nein falsch no n non faux falso unchecked disabled inactive inaktiv inactivo inactif aus off",
})

// synonyms are words for the values of the service, by field.
var synonyms = map[schema.ID]map[string]string{
	schema.FieldVisibility: phraseTable(map[string]string{
		"public": "everyone, everybody, anyone, all, open, open to all, open to everyone, open to the public, public event, " +
			"general public, free for all, publicly listed, listed, published, alle, offen, öffentlich, für alle, jeder, jedermann, " +
			"todos, público, abierto, abierto a todos, todo el mundo, para todos, tous, public, ouvert, ouvert à tous, tout public, " +
			"tout le monde",
		"members-only": "members, member, members only, member only, for members, mitglieder, nur mitglieder, nur für mitglieder, " +
			"miembros, solo miembros, socios, solo socios, solo para socios, membres, membres seulement, membres uniquement, réservé " +
			"aux membres, adhérents, adhérents uniquement",
		"private": "invite only, invitation only, by invitation, private event, hidden, unlisted, internal, closed, confidential, " +
			"secret, privat, intern, nicht öffentlich, geschlossen, auf einladung, nur auf einladung, vertraulich, geschlossene " +
			"gesellschaft, privado, privada, interno, cerrado, por invitación, solo por invitación, oculto, privé, privée, interne, " +
			"fermé, sur invitation, masqué, confidentiel",
	}),
	schema.FieldWaitlistStatus: phraseTable(map[string]string{
		"enabled":  "on, yes, true, 1, active, open, ja, aktiv, an, si, sí, activada, activado, oui, activée, activé",
		"disabled": "off, no, false, 0, inactive, closed, none, nein, inaktiv, aus, desactivada, desactivado, non, désactivée, désactivé",
	}),
	schema.FieldLocationVisibility: phraseTable(map[string]string{
		"public":      "everyone, all, alle, öffentlich, todos, público, tous",
		"guests-only": "guests, guest only, attendees only, gäste, nur gäste, invitados, solo invitados, invités, invités uniquement",
	}),
	schema.FieldPhoneRequirement: phraseTable(map[string]string{
		"required": "yes, true, mandatory, pflicht, erforderlich, ja, obligatorio, sí, obligatoire, oui",
		"optional": "ask, freiwillig, opcional, facultatif, optionnel",
	}),
	schema.FieldCreateMeeting: phraseTable(map[string]string{
		"google-meet": "meet, google, hangouts meet",
		"zoom":        "zoom meeting",
	}),
	schema.FieldNameRequirement: phraseTable(map[string]string{
		"full-name":  "full, one field, voller name, nombre completo, nom complet",
		"first-last": "first and last, first name and last name, two fields, vor- und nachname, nombre y apellidos, prénom et nom",
	}),
}

// cancelled are words for an event that does not take place.
var cancelled = listOf("cancelled, canceled, cancel, called off, abgesagt, storniert, entfällt, fällt aus, cancelado, cancelada, " +
	"anulado, suspendido, suspendida, annulé, annulée")

// statuses are other words that a column of statuses has.
var statuses = listOf("confirmed, tentative, scheduled, draft, published, pending, active, live, completed, ended, postponed, planned, " +
	"open, done, bestätigt, geplant, entwurf, veröffentlicht, verschoben, fix, confirmado, confirmada, pendiente, borrador, " +
	"publicado, aplazado, programado, confirmé, confirmée, brouillon, publié, reporté, prévu, en attente")

// people are headers that a list of guests has, and a list of events hardly.
var guestHeaders = listOf(`attendee, attendee name, attendee email, attendee first name, attendee last name, buyer email, first name,
last name, email, email address, phone, phone number, rsvp, rsvped on, user id, order id, barcode number, checked in at,
	url of member profile, joined group on, guest id, approval status, qr code url, ticket name, ticket type, guests, order date,
	buyer first name, buyer last name, purchaser city, attendance,
	vorname, nachname, e-mail, e-mail-adresse, telefon, bestellnummer, ticketart, nombre, apellidos, correo electrónico, teléfono,
	tipo de entrada, prénom, adresse e-mail, téléphone, type de billet, numéro de commande`)

func listOf(text string) []string {
	var list []string
	for word := range strings.SplitSeq(text, ",") {
		list = append(list, fold(word))
	}
	return list
}

func wordTable(lines map[string]string) map[string]string {
	table := map[string]string{}
	for value, words := range lines {
		for w := range strings.FieldsSeq(words) {
			table[w] = value
		}
	}
	return table
}

func phraseTable(lines map[string]string) map[string]string {
	table := map[string]string{}
	for value, text := range lines {
		for _, w := range listOf(text) {
			table[w] = value
		}
	}
	return table
}

// choiceOf reports whether one of the different values is in a list.
func (c *column) choiceOf(list []string) bool {
	return slices.ContainsFunc(c.distinct, func(v string) bool { return slices.Contains(list, fold(v)) })
}

// knows reports whether one of the different values is one that a role has.
func (c *column) knows(r role) bool {
	switch r {
	case roleStatus:
		return c.choiceOf(cancelled) || c.choiceOf(statuses)
	case roleWaitlist:
		return c.meant(schema.FieldWaitlistStatus) > 0
	}
	return c.meant(schema.FieldVisibility) > 0
}

// meant counts the different values that are known for a field.
func (c *column) meant(id schema.ID) int {
	n := 0
	for _, v := range c.distinct {
		if _, ok := meaning(id, v); ok {
			n++
		}
	}
	return n
}

// meaning gives the field's value that a cell's text stands for.
func meaning(id schema.ID, text string) (value string, ok bool) {
	field := id.Field()
	if field.Kind == schema.Bool {
		if b, fault := schema.ParseBool(text); fault == nil {
			if b {
				return "true", true
			}
			return "false", true
		}
		value, ok = truths[fold(text)]
		return value, ok
	}
	if v, fault := schema.ParseEnum(text, field.Path, field.Values); fault == nil {
		return v, true
	}
	value, ok = synonyms[id][fold(text)]
	return value, ok
}
