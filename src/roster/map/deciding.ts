/**
 * Columns that decide about people: roles, registrations, and groups that roles stand in. Each of their
 * values means a student, another person or a student who is not active, or is not known; what is not
 * known is never guessed.
 */
import { sessionStatuses } from '../../model/status.ts';
import { headerKey } from './vocabulary.ts';

/** `role` and `status` decide by themselves; a `group` only where known roles stand in it. */
export type DecidingKind = 'role' | 'status' | 'group';
export type Verdict = 'student' | 'other' | 'unknown';

const words = (text: string) => new Set(text.split(/\s+/));

const headers: { [kind in DecidingKind]: ReadonlySet<string> } = {
  role: words(
    `role roles role1 courserole courseroles userrole enrollmentrole enrolmentrole orgrole primaryrole rolle rollen kursrolle rol roleid
      rolename ruolo ruoli papel papeis funcao rola roledanslecours`,
  ),
  status: words(
    `status userstatus accountstatus coursestatus studentstatus enrollmentstatus enrolmentstatus enrollmentstate enrolmentstate registrationstatus
      registration registrationstate registrationstatuscode regstatus participationstatus attendeestatus orderstatus workflowstate approvalstatus
      availability active activeflag aktiv enrolltype enrollmenttype enrolmenttype
      anmeldestatus anmeldung anmeldungsstatus teilnahmestatus zulassung zulassungsstatus statut statutinscription
      estado stato situacao stan statusinschrijving inschrijfstatus`,
  ),
  group: words(
    `group groups gruppe gruppen groupe groupes grupo grupos gruppo gruppi groep groepen grupa grupy type usertype persontype typ
      category kategorie categorie function funktion fonction affiliation position personengruppe`,
  ),
};

const students = words(
  `student students studentin studenten studentinnen studierende studierender studierendeninnen learner learners pupil schuler schulerin
    participant participants participante participantes teilnehmer teilnehmerin teilnehmende teilnehmender etudiant etudiante etudiants eleve eleves
    apprenant apprenante autor kursmitglied attendee attendees estudiante estudiantes alumno alumna alumnos studente studentessa studenti leerling deelnemer deelnemers aluno aluna
    uczen uczestnik candidate candidates kandidat kandidatin examinee prufling prueflinge studentenrollment`,
);
const staff = words(
  `teacher teachers editingteacher noneditingteacher teachingassistant teachingassistants ta tas instructor instructors primaryinstructor
    secondaryinstructor courseinstructor reader grader lecturer professor faculty staff admin administrator systemadministrator siteadministrator
    districtadministrator principal counselor aide guardian parent relative proctor manager managerin coursecreator coursebuilder designer
    contentdeveloper organizer presenter speaker cohost kurstutor kursadministrator kursbesitzer besitzer besitzerin observer assessor examiner moderator supervisor mentor coach owner editor author teacherenrollment taenrollment
    designerenrollment observerenrollment coursemanager headinstructor nonstudent testuser previewuser
    lehrer lehrerin lehrende lehrender dozent dozentin dozenten dozierende dozierender trainer trainerin tutor tutorin tutoren betreuer betreuerin
    kursleiter kursleiterin kursverwalter verwalter prufer pruferin korrektor korrektorin assistent assistentin hilfskraft mitarbeiter mitarbeiterin
    kursersteller administratorin moderatorin beobachter beobachterin
    enseignant enseignante professeur professeure formateur formatrice surveillant surveillante gestionnaire tuteur tutrice responsable
    profesor profesora docente docentes tutora administrador gestor professore insegnante assistente docent begeleider beheerder
    professora monitor nauczyciel prowadzacy wykladowca`,
);
const active = words(
  `active aktiv actif active activo activa attivo attiva actief ativo ativa aktywny aktywna enrolled enroled registered angemeldet zugelassen
    bestatigt fix teilnehmend inscrit inscrite inscrito inscrita iscritto iscritta ingeschreven matriculado matriculada zapisany zapisana
    confirmed accepted approved attending checkedin webregistered registeredweb registeredbyweb final current paid bezahlt valid yes ja oui si true an zu ${sessionStatuses.map(headerKey).join(' ')}`,
);
const inactive = words(
  `dropped drop withdrawn withdrew waitlisted waitlist waiting warteliste wartend inactive inaktiv inactif inactive inactivo inactiva inattivo inattiva
    inactief inativo inativa nieaktywny refunded denied declined rejected abgelehnt nichtzugelassen pending ausstehend deleted tobedeleted geloscht
    unenrolled unenroled unregistered deregistered suspended gesperrt cancelled canceled storniert abgemeldet ab exmatrikuliert zuruckgetreten
    abgebrochen desinscrit desinscrite annule annulee retirado retirada baja cancelado cancelada ritirato uitgeschreven archived disabled
    deactivated blocked expired no nein non false notcurrent notattending webdrop webdropped droppedbyweb dropweb waitlistedweb notactive notregistered notenrolled wypisany skreslony`,
);

/** What a column decides about; undefined for one that decides nothing. */
export function decidingKind(header: string): DecidingKind | undefined {
  const key = headerKey(header);
  return (['role', 'status', 'group'] as const).find((kind) => headers[kind].has(key));
}

/** What a value says about its row. Of several roles one student's is enough; two people are never made of `Lehrer/in`. */
export function verdictOn(kind: DecidingKind, value: string): Verdict {
  const whole = verdictOnWord(kind, value);
  if (whole !== 'unknown') return whole;
  const verdicts = value
    .split(/[,;|/+&]| und | and | et /)
    .filter((part) => part.trim() !== '')
    .map((part) => verdictOnWord(kind, part));
  if (verdicts.includes('student')) return 'student';
  return verdicts.length > 0 && verdicts.every((verdict) => verdict === 'other') ? 'other' : 'unknown';
}

function verdictOnWord(kind: DecidingKind, text: string): Verdict {
  // A path such as that of an LTI role names the role last.
  const key = headerKey(text.slice(text.lastIndexOf('#') + 1));
  if (students.has(key)) return 'student';
  if (staff.has(key)) return 'other';
  if (kind !== 'status') return /^(inactive|deleted|tobedeleted)$/.test(key) ? 'other' : 'unknown';
  return active.has(key) ? 'student' : inactive.has(key) ? 'other' : 'unknown';
}
