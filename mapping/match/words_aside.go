package match

import (
	"slices"
	"strings"
)

// What a column may be about that no field of an event takes.
const (
	tags      = "tags and categories are not imported in this version"
	tickets   = "tickets and prices are not imported in this version, but as JSON in ticket_types"
	coupons   = "coupons are not imported in this version"
	holder    = "hosts, speakers and the like are not imported in this version"
	otherTime = "it says when something else happens"
	people    = "people and guests are not imported in this version"
	note      = "a note is for yourself"
	otherPage = "it is not a link to join by"
	noSetting = "the service has no such setting"
)

// asides are headers of columns that no field of an event takes, with the reason
// that is shown. A column that is known not to be wanted needs no question.
var asides = []struct{ about, names string }{
	{tags, `tags, tag, keywords, labels, category, categories, event category, event categories, event tags, type, event type,
	event types, genre, format, track, topic area, theme area, stream, series, hashtag,
		schlagwörter, kategorie, kategorien, rubrik, art, veranstaltungsart, veranstaltungstyp, reihe, sparte, typ,
		categoría, categorías, etiquetas, tipo, tipo de evento, género, palabras clave, catégorie, catégories, étiquettes, mots-clés,
		type d'événement, rubrique, genre`},
	{tickets, `price, cost, ticket price, fee, fees, entry, entry fee, admission, event cost, currency, ticket, tickets, ticket type,
	ticket types, ticket tier, ticket quantity, tickets sold, revenue, gross, net, sold, event currency symbol,
	event currency position, event iso currency code,
		preis, eintritt, eintrittspreis, kosten, gebühr, teilnahmegebühr, währung, kursgebühr, vvk, ak,
		precio, entrada, coste, costo, importe, moneda, entradas, tarifa, prix, tarif, tarifs, coût, devise, billet, billets,
		billetterie, entrée`},
	{coupons, `coupon, coupons, coupon code, discount, discounts, discount code, promo code, promotion code, voucher, vouchers,
	voucher code,
		gutschein, gutscheine, gutscheincode, rabatt, rabattcode, cupón, cupones, descuento, código de descuento,
		bon de réduction, code promo, réduction`},
	{holder, `speaker, speakers, presenter, presenters, instructor, teacher, lecturer, trainer, coach, organizer, organiser,
	organizers, organisers, host, hosts, event host, host name, event organizer, organizer name, organizer email, contact, contact name,
		contact person, owner, created by, responsible, team, teams, department, group, group name, sponsor, sponsors, sponsored,
		artist, artists, performer, chair, moderator, company, organization, organisation, meeting organizer, celebrant, preacher,
		referee, faculty,
		home, away, home team, away team, opponent, league, competition, division, result, score,
		referent, referentin, referenten, dozent, dozentin, leitung, kursleitung, veranstalter, ansprechpartner, kontakt,
		verantwortlich, künstler, abteilung, trainer, pfarrer, zelebrant, heim, gast, heimmannschaft, gastmannschaft, liga,
		wettbewerb, schiedsrichter, gegner, ergebnis, mannschaft, organisator, besprechungsplanung,
		ponente, ponentes, organizador, organizadores, responsable, contacto, artista, profesor, profesora, anfitrión, departamento,
		grupo, entrenador, equipo local, equipo visitante, árbitro, competición, celebrante, organizador de la reunión, equipo,
		intervenant, intervenants, organisateur, animateur, responsable, contact, artiste, professeur, enseignant, formateur,
		formatrice, équipe, arbitre, compétition, domicile, extérieur, service, organisateur de la réunion`},
	{otherTime, `created, created at, created time, created on, date created, creation date, updated, updated at, last updated,
	modified, last modified, last edited, last edited time, modified at, last modified time, published, published at, publish date,
	published on,
		registration deadline, deadline, rsvp by, registration opens, registration closes, registration start, registration end,
		sales start, sales end, doors, doors open, door time, reminder date, reminder time, order date, booking date, setup,
		setup time, load in, sound check, soundcheck, meet time, arrival,
		erstellt, erstellt am, geändert, geändert am, aktualisiert, aktualisiert am, anmeldeschluss, anmeldefrist, anmeldung bis,
		einlass, veröffentlicht am, treffzeit, aufbau, vorverkaufsstart, erinnerungsdatum, erinnerungszeit, beginn der erinnerung,
		creado, fecha de creación, modificado, última modificación, actualizado, fecha límite, fecha límite de inscripción,
		apertura de puertas, fecha de publicación, apertura, cierre de inscripciones, fecha del aviso, hora del aviso,
		créé le, date de création, modifié, modifié le, dernière modification, mise à jour, date limite, date limite d'inscription,
		ouverture des portes, publié le, date de publication, clôture des inscriptions, date de rappel, heure de rappel`},
	{people, `attendees, attendee, guests, attendance, attending, registrations, registered, rsvps, rsvp, yes rsvps, rsvp count,
	bookings, participants, participant, going, checked in, enrolled, enrollment, waitlisted, spots left, spaces left, remaining,
	available, seats left, signups, sign ups, number of attendees, expected attendance,
		order id, attendee name, attendee email, attendee first name, attendee last name, buyer email, buyer first name,
		buyer last name, first name, last name, full name, email, email address, phone, phone number, mobile, barcode number, user id,
		member id, required attendees, optional attendees,
		teilnehmer, anmeldungen, gäste, angemeldet, teilnehmerzahl, teilnehmende, freie plätze, restplätze, vorname, nachname,
		telefon, e-mail, erforderliche teilnehmer, optionale teilnehmer,
		asistentes, inscritos, participantes, invitados, plazas libres, apellidos, correo, correo electrónico, teléfono,
		asistentes necesarios, asistentes opcionales, asistentes requeridos,
		inscrits, invités, places restantes, prénom, courriel, téléphone, adresse e-mail, participants requis,
		participants facultatifs, participants obligatoires`},
	{note, `notes, note, internal notes, comments, comment, remarks, internal, private notes, to do, todo, bemerkung, bemerkungen,
	notiz, notizen, anmerkung, anmerkungen, interne notizen, kommentar, hinweis, hinweise,
		notas, nota, observaciones, comentarios, notas internas, remarques, remarque, commentaires, commentaire, notes internes,
		observations`},
	{otherPage, `website, web site, event website, event page, homepage, page, event page url, more info, more information,
	ticket url, ticket link, tickets url, registration url, registration link, rsvp link, sign up link, booking link, facebook,
	facebook event, instagram, twitter, youtube, video, venue website,
		website url, slides, recording, recording url, webseite, webseite url, internetseite, ticketlink, anmeldelink, anmeldung,
		buchungslink,
		sitio web, página web, web, enlace de entradas, enlace de inscripción, inscripción, site web, site internet, lien billetterie,
		lien d'inscription, inscription`},
	{noSetting, `recurrence, repeat, repeats, rrule, reminder, reminder on/off, featured, feature event, sticky, sticky in month view,
	event sticky in month view, hide event from event listings, hide from event listings, event show map, event show map link,
	event allow comments, event allow trackbacks and pingbacks, allow comments, allow trackbacks and pingbacks,
		language, level, age, ages, age group, age restriction, difficulty, priority, sensitivity, show time as, show as, mileage,
		billing information, meeting resources, weekday, day of week, week, month, year, term, semester, section, credits, color code,
		weather, equipment, gear, catering, budget, readings, reading, gospel, hymns,
		sprache, altersgruppe, alter, niveau, priorität, vertraulichkeit, erinnerung, erinnerung ein/aus, wochentag, woche, kw, monat,
		jahr, semester, ausstattung, wiederholung, zeitspanne zeigen als, reisekilometer, abrechnungsinformationen, besprechungsressourcen,
		idioma, nivel, edad, prioridad, recordatorio, aviso, aviso activado/desactivado, día de la semana, semana, mes, año,
		confidencialidad, destacado, mostrar hora como, kilometraje, facturación, recursos de la reunión, información de facturación,
		langue, niveau, âge, priorité, rappel, rappel actif/inactif, jour de la semaine, semaine, mois, année, récurrence,
		afficher la disponibilité, kilométrage, informations facturation, ressources de la réunion, critère de diffusion,
		afficher l'horaire comme`},
}

// LeftOut says why a column is not imported although a platform of events has what
// it holds; empty where the header is not of such a column.
func LeftOut(header string) (why string) {
	why = aside[fold(header)]
	if slices.Contains([]string{tags, tickets, coupons, holder, people}, why) {
		return why
	}
	return ""
}

// mailHeaders are headers of the address that a guest is known by.
var mailHeaders = listOf(`email, e-mail, email address, e-mail address, mail, mail address,
	attendee email, guest email, buyer email, registrant email,
	e-mail-adresse, mailadresse, correo, correo electrónico, courriel, adresse e-mail, adresse mail`)

// NamesMail reports whether a column holds the e-mail addresses of guests, by its header.
func NamesMail(header string) bool { return slices.Contains(mailHeaders, fold(header)) }

// asideWords are single words that make a longer header one about something else.
var asideWords = func() map[string]string {
	table := map[string]string{}
	for _, line := range []struct{ about, names string }{
		{
			holder,
			`speaker speakers presenter organizer organiser host contact sponsor artist instructor teacher owner moderator referent dozent
			veranstalter ansprechpartner ponente organizador contacto artista profesor intervenant organisateur artiste home away
			opponent heim gast`,
		},
		{
			people,
			`attendee attendees guest guests buyer purchaser rsvp rsvps member customer registered registrations teilnehmer gast asistente
			asistentes invitado invites inscrits phone email telefon telefono telephone`,
		},
		{otherTime, `created updated modified edited deadline reminder published doors setup registration erstellt geandert aktualisiert
			anmeldeschluss einlass creado modificado limite cree modifie rappel inscription inscripcion`},
		{tickets, `ticket tickets price cost fee currency preis eintritt precio entrada prix tarif billet`},
		{tags, `category categories tags kategorie categoria categorie type`},
		{note, `internal notes note comments interne internas bemerkung notas remarques`},
		{otherPage, `facebook instagram website webseite`},
	} {
		for word := range strings.FieldsSeq(line.names) {
			table[word] = line.about
		}
	}
	return table
}()
