package match

import (
	"slices"
	"strings"

	"eventbatch/mapping/schema"
)

// role is what a column is to an event.
type role uint8

const (
	rolePath role = iota // the header is the path of a field that has no role of its own
	roleName
	roleSummary // a short text, where there may be a longer one
	roleDescription
	roleWhen // a date or a moment, of nothing said
	roleTime // a time of day, of nothing said
	roleStart
	roleStartDate
	roleStartTime
	roleEnd
	roleEndDate
	roleEndTime
	roleLength
	roleAllDay
	roleZone
	roleVenue
	roleRoom
	roleStreet
	roleCity
	rolePostcode
	roleRegion
	roleCountry
	roleLatitude
	roleLongitude
	rolePoint
	roleCapacity
	roleMeeting
	roleLink
	roleCover
	roleKey
	roleNumber // of the row
	roleEventID
	roleCalendar
	roleVisibility
	rolePrivate
	rolePublic
	roleOpen
	roleWaitlist
	roleGuestList
	roleStatus
	roleColor
	roleAside // known to be about something else
)

// roleOf is the role of a column that has a field's own name.
func roleOf(id schema.ID) role {
	if r, ok := pathRoles[id]; ok {
		return r
	}
	return rolePath
}

var pathRoles = map[schema.ID]role{
	schema.FieldName: roleName, schema.FieldDescriptionMD: roleDescription, schema.FieldStartAt: roleStart, schema.FieldEndAt: roleEnd,
	schema.FieldTimezone: roleZone, schema.FieldAddress: roleStreet, schema.FieldLatitude: roleLatitude,
	schema.FieldLongitude:   roleLongitude,
	schema.FieldMaxCapacity: roleCapacity, schema.FieldMeetingURL: roleMeeting, schema.FieldCoverURL: roleCover, schema.FieldKey: roleKey,
	schema.FieldEventID: roleEventID, schema.FieldCalendarID: roleCalendar, schema.FieldVisibility: roleVisibility,
	schema.FieldRegistrationOpen: roleOpen, schema.FieldWaitlistStatus: roleWaitlist, schema.FieldShowGuestList: roleGuestList,
	schema.FieldTintColor: roleColor,
}

// vocabulary gives the roles of the headers that people use, folded. A word with
// several roles has the one first that it has where the values do not decide.
var vocabulary = func() map[string][]role {
	table := map[string][]role{}
	for _, line := range words {
		for name := range strings.SplitSeq(line.names, ",") {
			if name = fold(name); name != "" && !slices.Contains(table[name], line.role) {
				table[name] = append(table[name], line.role)
			}
		}
	}
	for _, line := range asides {
		for name := range strings.SplitSeq(line.names, ",") {
			if name = fold(name); name != "" {
				table[name] = append(table[name], roleAside)
				aside[name] = line.about
			}
		}
	}
	return table
}()

// aside says what a header of roleAside is about.
var aside = map[string]string{}

// words are the headers of real files: English, German, Spanish, French.
var words = []struct {
	role  role
	names string
}{
	{roleName, `name, title, event, event name, event title, activity, activity name, session, session title, talk, talk title, what,
	headline, topic, occasion,
		class name, class title, course title, course name, match, fixture, service, programme item, meeting, meeting title, subject,
		show, film, performance,
		titel, veranstaltung, veranstaltungstitel, veranstaltungsname, bezeichnung, anlass, betreff, was, termin, terminbezeichnung,
		kurstitel, kursname, thema, begegnung, gottesdienst,
		titulo, nombre, nombre del evento, nombre de la actividad, evento, actividad, asunto, que, denominacion, partido,
		titulo del evento, acto, celebracion,
		titre, nom, nom de l'événement, titre de l'événement, évènement, événement, intitulé, activité, objet, quoi, manifestation,
		libellé, spectacle, rencontre`},
	{roleSummary, `summary, excerpt, short description, teaser, subtitle, tagline, synopsis, event excerpt, kurzbeschreibung,
	kurztext, untertitel, zusammenfassung,
		resumen, extracto, subtítulo, descripción corta, résumé, accroche, sous-titre, description courte, chapeau`},
	{roleDescription, `description, details, content, event description, event details, body, about, abstract, long description,
	full description, information, blurb, what to expect,
		beschreibung, inhalt, text, beschreibungstext, veranstaltungsbeschreibung, langtext, infotext,
		descripción, detalles, contenido, descripción del evento, texto, información,
		descriptif, détails, contenu, texte, présentation, description longue`},

	{roleWhen, `date, event date, when, day, session date, date time, datetime, date and time, date & time, scheduled at, date/time,
	class date, match date,
		datum, veranstaltungsdatum, tag, termin, wann, datum und uhrzeit, datum/uhrzeit, zeitpunkt, spieltag,
		fecha, fecha del evento, día, cuándo, fecha y hora, fecha/hora, fecha del partido,
		date de l'événement, jour, quand, date et heure, date/heure`},
	{roleTime, `time, hour, times, timing, hours, uhrzeit, zeit, um, zeiten, uhr, hora, horario, heure, horaire, horaires`},
	{roleStart, `start, starts, start at, starts at, starting, begin, begins, beginning, start datetime, start date time,
	start date and time, start date/time, dtstart, event start,
		event start time, event begin, from, start timestamp, start (local),
		beginn, anfang, von, ab, startet, veranstaltungsbeginn, startzeitpunkt, beginnt,
		inicio, comienzo, comienza, empieza, desde, fecha y hora de inicio, inicio del evento,
		début, commence, commence le, du, date et heure de début, debute`},
	{roleStartDate, `start date, startdate, date from, begin date, event start date, from date, first day, starting date,
		startdatum, beginndatum, anfangsdatum, datum von, datum beginn, beginnt am, start datum, von datum,
		fecha inicio, fecha de inicio, fecha de comienzo, fecha inicial, fecha desde, día de inicio,
		date début, date de début, date du début, jour de début, début date`},
	{roleStartTime, `start time, starttime, begin time, time from, from time, kick off, kick-off, kickoff, starting time, time start,
	tip off, throw in,
		startzeit, beginnzeit, anfangszeit, uhrzeit von, uhrzeit beginn, zeit von, startuhrzeit, beginnt um, anstoß, anpfiff,
		spielbeginn, von uhrzeit,
		hora inicio, hora de inicio, hora de comienzo, hora inicial, hora desde,
		heure début, heure de début, heure du début, coup d'envoi`},
	{roleEnd, `end, ends, end at, ends at, ending, finish, finishes, end datetime, end date time, end date and time, end date/time,
	dtend, event end, until, to, till, event end time,
		ende, schluss, bis, endet, veranstaltungsende, endzeitpunkt,
		fin, final, finalización, termina, acaba, hasta, fecha y hora de fin, fin del evento,
		se termine, au, jusqu'au, date et heure de fin`},
	{roleEndDate, `end date, enddate, date to, event end date, to date, last day, finish date, enddatum, datum bis, datum ende,
	endet am, schlussdatum, bis datum, end datum,
		fecha fin, fecha de fin, fecha de finalización, fecha final, fecha hasta, día de fin, fecha de término, date fin, date de fin,
		jour de fin`},
	{roleEndTime, `end time, endtime, time to, to time, finish time, time end, endzeit, uhrzeit bis, uhrzeit ende, zeit bis,
	enduhrzeit, endet um, bis uhrzeit,
		hora fin, hora de fin, hora de finalización, hora final, hora hasta, hora de término, heure fin, heure de fin`},
	{
		roleLength,
		`duration, length, event duration, duration minutes, duration hours, duration in minutes, minutes, mins, running time, dauer, ` +
			`dauer in minuten, länge, duración, durée`,
	},
	{
		roleAllDay,
		`all day, all day event, all-day, allday, whole day, is all day, ganztägig, ganztags, ganztägiges ereignis, ganzer tag, ` +
			`todo el día, toute la journée, journée entière`,
	},
	{
		roleZone,
		`timezone, time zone, tz, event timezone, event time zone, zone, iana timezone, time zone name, zeitzone, zona horaria, huso ` +
			`horario, fuseau horaire, fuseau`,
	},

	{roleVenue, `location, venue, place, where, venue name, event location, event venue, event venue name, location name, building,
	place name, ground, pitch, church,
		ort, veranstaltungsort, wo, spielort, treffpunkt, gebäude, halle, spielstätte, sportstätte, veranstaltungsstätte, kirche, lokalität,
		lugar, sitio, ubicación, sede, local, recinto, dónde, emplazamiento, lugar del evento, instalación, templo,
		lieu, endroit, emplacement, nom du lieu, lieu de l'événement, où, stade, estadio, pabellón, polideportivo, église, iglesia,
		parroquia, théâtre, teatro, theater, stadium, stadion`},
	{
		roleRoom,
		`room, room name, hall, court, field, stage, auditorium, raum, saal, zimmer, hörsaal, bühne, spielfeld, sala, aula, salón, ` +
			`pista, campo, salle, amphi, scène, terrain, amphithéâtre`,
	},
	{roleStreet, `address, street, street address, venue address, address 1, address line 1, event address, full address, location address,
		adresse, anschrift, straße, strasse und hausnummer, straße und nr, dirección, calle, domicilio, rue, adresse postale,
		adresse du lieu`},
	{roleCity, `city, town, venue city, location town, stadt, gemeinde, ort, ciudad, municipio, localidad, población, ville, commune`},
	{rolePostcode, `zip, zip code, postcode, post code, postal code, venue zip, plz, postleitzahl, código postal, cp, code postal`},
	{
		roleRegion,
		`state, province, county, venue state, venue state province, state province, bundesland, kanton, provincia, comunidad, ` +
			`comunidad autónoma, région, département`,
	},
	{roleCountry, `country, venue country, location country, land, país, pays`},
	{roleLatitude, `latitude, lat, venue latitude, breitengrad, latitud`},
	{roleLongitude, `longitude, long, lng, lon, venue longitude, längengrad, longitud`},
	{
		rolePoint,
		`coordinates, gps, lat lng, lat long, latlng, lat lon, geo, geolocation, koordinaten, coordenadas, coordonnées, coordonnées gps`,
	},

	{roleCapacity, `capacity, max capacity, max attendees, maximum attendees, max participants, maximum participants, seats, spots,
	max guests, event spaces, spaces, places, rsvp limit, attendee limit,
		max seats, number of seats, attendance limit, cap, quota, max tickets, venue capacity, max enrollment, max enrolment,
		enrollment cap, room capacity, limit,
		kapazität, plätze, max teilnehmer, max teilnehmerzahl, maximale teilnehmerzahl, maximale teilnehmer, sitzplätze,
		teilnehmerlimit, anzahl plätze, max personen, teilnehmer max, max tn,
		aforo, capacidad, plazas, cupo, aforo máximo, número de plazas, máximo de asistentes, capacidad máxima, plazas máximas,
		capacité, jauge, nombre de places, nombre max de participants, nombre maximum de participants, places max, effectif maximum`},
	{roleMeeting, `meeting url, meeting link, zoom link, zoom url, zoom, join link, join url, online link, virtual link, webinar link,
	livestream, live stream, video call link, video link, conference link,
		google meet, meet link, teams link, online event url, online event link, virtual meeting link, virtual event link, hangout link,
		videolink, zugangslink, einwahllink, zoom-link, online-link, videokonferenz, besprechungslink,
		enlace de la reunión, enlace zoom, enlace virtual, enlace de videollamada, enlace online, enlace de conexión, videollamada,
		lien zoom, lien visio, lien de la réunion, lien visioconférence, lien de connexion, lien de visioconférence, visioconférence`},
	{roleLink, `url, link, web link, event url, event link, weblink, enlace, vínculo, lien, lien de l'événement`},
	{roleCover, `cover, cover url, cover image, image, image url, photo, photo url, picture, banner, event image, poster, flyer,
	thumbnail, featured image, hero image, event featured image, artwork,
		bild, titelbild, bild url, foto, plakat, veranstaltungsbild, imagen, cartel, portada, url imagen, imagen url,
		url de la imagen, affiche, visuel, couverture, url image, image de couverture`},

	{roleKey, `id, uid, event uid, external id, unique id, guid, reference, ref, code, event code, event ref, event reference,
	record id, identifier, session id, talk id, course code, class id, crn, match id, uuid,
		kennung, veranstaltungsnummer, veranstaltungs-id, kursnummer, terminnummer, spielnummer, eindeutige id,
		identificador, código, referencia, código del evento, id evento, id del evento, identifiant, référence, code événement,
		id événement`},
	{roleNumber, `no, nr, number, row, row number, lfd nr, laufende nummer, num, n, número, pos, numéro, nº, n°`},
	{roleEventID, `event id`},
	{roleCalendar, `calendar, calendar name, calendar id, kalender, calendario, calendrier, agenda`},
	{roleVisibility, `visibility, privacy, access, audience, open to, who may come, who can attend, event type public private,
	listing, sichtbarkeit, zugang, öffentlichkeit, für wen, zutritt,
		visibilidad, acceso, privacidad, tipo de acceso, visibilité, accès, confidentialité, ouvert à`},
	{
		rolePrivate,
		`private, is private, private event, members only, privat, nur für mitglieder, privado, es privado, solo socios, privé, ` +
			`réservé aux membres, vertraulich`,
	},
	{
		rolePublic,
		`public, is public, public event, open to the public, öffentlich, öffentliche veranstaltung, público, abierto al público, ` +
			`ouvert au public`,
	},
	{
		roleOpen,
		`registration open, open for registration, bookable, bookings open, rsvp open, anmeldung offen, anmeldung möglich, buchbar, ` +
			`inscripción abierta, inscripciones abiertas, inscriptions ouvertes`,
	},
	{roleWaitlist, `waitlist, waiting list, wait list, waitlist enabled, warteliste, lista de espera, liste d'attente`},
	{
		roleGuestList,
		`show guest list, show attendees, show guestlist, gästeliste anzeigen, gästeliste zeigen, mostrar lista de invitados, ` +
			`mostrar asistentes, afficher la liste des invités, afficher les participants`,
	},
	{roleStatus, `status, event status, booking status, state, veranstaltungsstatus, estado, estatus, situación, statut, état`},
	{roleColor, `color, colour, accent color, accent colour, farbe, couleur, color del evento`},
}
