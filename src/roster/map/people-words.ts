/**
 * The words for people and registrations in rosters, in English, German, French, Spanish, Italian, Portuguese, Dutch
 * and Polish, by their letters alone. A word that is missing here is unknown, and never guessed.
 */
import { headerKey } from './vocabulary.ts';

/** `standing`: how a student studies, which is a state only in a column of states. */
export type WordKind = 'student' | 'staff' | 'active' | 'inactive' | 'standing';

const words: { [kind in WordKind]: string } = {
  student: `student students studentin studenten studentinnen studierende studierender studierendeninnen learner learners pupil pupils schuler schulerin
    participant participants participante participantes teilnehmer teilnehmerin teilnehmende teilnehmender etudiant etudiante etudiants eleve eleves
    apprenant apprenante apprenants autor kursmitglied kursteilnehmer attendee attendees estudiante estudiantes estudante estudantes alumno alumna alumnos alumnas
    studente studentessa studenti studentesse allievo allieva corsista leerling deelnemer deelnemers cursist aluno aluna alunos discente discentes formando formanda
    uczen uczniowie uczestnik uczestniczka studentka studenci kursant candidate candidates kandidat candidat candidate candidato candidata examinee prufling
    pruflinge auszubildende auszubildender azubi stagiaire coursemember crsmember grpmember studentenrollment`,
  staff: `teacher teachers editingteacher noneditingteacher teachingassistant teachingassistants ta tas instructor instructors primaryinstructor
    secondaryinstructor courseinstructor headinstructor reader grader graders marker lecturer lecturers visitinglecturer professor professors faculty staff academicstaff
    staffmember employee employees admin admins administrator administrators administrative systemadministrator siteadministrator siteadmin sysadmin superuser
    accountadmin subaccountadmin districtadministrator schooladministrator principal counselor aide guardian parent relative proctor proctors invigilator
    invigilators manager coursecreator coursebuilder coursemanager courseleader coursedirector convenor convener coordinator coursecoordinator designer
    contentdeveloper organizer organiser presenter speaker host cohost kurstutor kursadministrator kursbesitzer besitzer observer observers assessor
    examiner examiners moderator supervisor mentor coach owner editor author secretary librarian alumni alumnus nonstudent testuser teststudent previewuser noroles keinerollen
    coursetutor courseadministrator crstutor crsadmin grpadmin
    teacherenrollment taenrollment designerenrollment observerenrollment
    lehrer lehrende lehrender lehrkraft lehrkrafte lehrbeauftragte lehrbeauftragter lehrperson lehrpersonen dozent dozenten dozierende dozierender trainer
    trainerohnebearbeitungsrecht trainermitbearbeitungsrecht kursverantwortliche kursverantwortlicher kursbearbeiter kursbewerter tutor tutoren betreuer betreuende kursleiter kursbetreuer kursverwalter kursersteller verwalter verwalterin prufer
    prufende prufender erstprufer zweitprufer korrektor korrektoren assistent assistenten hilfskraft hiwi mitarbeiter mitarbeitende mitarbeitender
    administratoren moderatoren beobachter beisitzer gutachter referent aufsicht aufsichtsperson personal beschaftigte eltern elternteil koordinator
    sekretariat erziehungsberechtigte studiengangsleitung
    enseignant enseignante enseignants enseignantnonediteur professeur professeure professeurs formateur formatrice formateurs surveillant surveillante gestionnaire tuteur tuteurs tutrice
    responsable administrateur administratrice concepteur encadrant personnel examinateur examinatrice intervenant intervenante assistante jury
    profesor profesora profesores profesorsinpermisodeedicion profesorsinpermisosdeedicion docente docentenoneditor docentezonderbewerkrechten docentes docenti tutora tutores administrador administradora gestor gestora coordinador coordinadora ayudante instructora
    formador formadora supervisora empleado empleada responsabile professore professoressa insegnante insegnanti assistente coordinatore amministratore
    esaminatore docent docenten leraar lerares begeleider begeleiders beheerder beheerders medewerker examinator surveillanten toezichthouder professora
    professores professornaoeditor moderador moderadora coordenador coordenadora monitor monitora monitores funcionario funcionaria servidor nauczyciel nauczycielka nauczyciele prowadzacy
    prowadzaca wykladowca wykladowcy pracownik egzaminator asystent koordynator opiekun`,
  active: `active aktiv actif active activo activa attivo attiva actief ativo ativa aktywny aktywna enabled enrolled enroled registered preregistered
    admitted eligible angemeldet zugelassen bestatigt bestaetigt fix fixplatz verbindlich eingeschrieben immatrikuliert registriert angenommen teilnehmend
    inscrit inscrite admis admise valide validee accepte acceptee confirme confirmee inscrito inscrita admitido admitida aceptado aceptada confirmado
    confirmada matriculado matriculada iscritto iscritta ammesso ammessa confermato confermata immatricolato regolare ingeschreven aangemeld toegelaten bevestigd geregistreerd
    zapisany zapisana zarejestrowany zarejestrowana potwierdzony potwierdzona przyjety przyjeta confirmed accepted approved attending checkedin webregistered
    registeredweb registeredbyweb final current paid bezahlt valid yes ja oui si sim tak true an zu re rw`,
  standing: `goodstanding probation academicprobation fulltime parttime vollzeit teilzeit voltijd deeltijd tempsplein tempspartiel
    ordentlich außerordentlich ausserordentlich undergraduate postgraduate freshman sophomore junior senior incorso fuoricorso
    attempt firstattempt secondattempt thirdattempt versuch erstversuch zweitversuch drittversuch resit retake wiederholer`,
  inactive: `dropped drop withdrawn withdrew withdraw waitlisted waitlist waitinglist waiting onwaitlist warteliste wartelistenplatz nachruckerliste wartend inactive
    inaktiv inactif inactive inactivo inactiva inattivo inattiva inactief inativo inativa nieaktywny nieaktywna refunded partiallyrefunded denied declined rejected
    abgelehnt pending pendingapproval awaitingapproval ausstehend deleted tobedeleted geloscht geloescht unenrolled unenroled unregistered
    deregistered disenrolled suspended gesperrt cancelled canceled storniert abgemeldet ab exmatrikuliert zuruckgetreten zuruckgezogen
    zuruckgenommen rucktritt ausgetreten ausgeschieden ausgetragen deaktiviert archiviert entfernt abgebrochen desinscrit desinscrite annule annulee
    abandon abandonne abandonnee demission demissionnaire refuse refusee enattente listedattente suspendu suspendue supprime supprimee
    radie radiee desactive desactivee bloque desiste desistee anulado anulada anulacion rechazado rechazada pendiente enespera listadeespera suspendido
    suspendida eliminado eliminada dadodebaja renuncia desmatriculado bajaoficial retirado retirada baja cancelado cancelada trancado trancada desistente
    desligado desligada pendente rejeitado rejeitada excluido excluida evadido emespera ritirato ritirata rinunciato rinunciatario annullato annullata
    sospeso sospesa cancellato cancellata escluso esclusa decaduto rifiutato rifiutata inattesa listadattesa uitgeschreven afgemeld afgewezen geannuleerd wachtlijst
    verwijderd geblokkeerd gestopt archived disabled deactivated blocked revoked terminated removed expired ineligible deprovisioned geschorst suspenso suspensa rt dw dd wl locked no nein non nie nee nao false
    noncurrent webdrop webdropped droppedbyweb dropweb waitlistedweb wypisany wypisana skreslony skreslona zrezygnowal zrezygnowala rezygnacja odrzucony odrzucona
    oczekujacy oczekujaca anulowany anulowana zawieszony zawieszona usuniety usunieta listarezerwowa`,
};

const kinds = new Map<string, WordKind[]>();
for (const [kind, text] of Object.entries(words) as [WordKind, string][]) {
  for (const word of text.match(/\S+/g) ?? []) kinds.set(word, [...(kinds.get(word) ?? []), kind]);
}

/** Words of ordinary life, or of one language among eight: they say something only in a column that is known to decide. */
const commonplace = new Set(
  `ab no nein non nie nee nao false baja drop fix owner reader author editor host designer presenter speaker mentor coach principal relative personal
    personnel monitor expired locked removed refuse final current paid valid ausgetreten archived parent guardian aide`.split(/\s+/),
);

const negation = /^(not|no|non|nicht|nichtmehr|nie|niet|nao|un|never|kein|keine)(?=.)/;
/** "Lehrerin", "TeilnehmerInnen": what is known of the word without it is true of the word with it. */
const feminine = /(innen|in)$/;

/** What a word of letters alone means as one of these kinds; undefined for one that is unknown. */
export function meaningOf(key: string, wanted: readonly WordKind[]): WordKind | undefined {
  const found = (word: string) => kinds.get(word)?.find((kind) => wanted.includes(kind));
  const known = found(key) ?? (feminine.test(key) ? found(key.replace(feminine, '')) : undefined);
  if (known) return known;
  // "Not registered" and "nicht zugelassen"; what is not inactive may be anything.
  const denied = key.replace(negation, '');
  return denied !== key && denied.length > 3 && found(denied) === 'active' ? 'inactive' : undefined;
}

/** Whether a value speaks about people in any column, whatever its header. */
export function isTelling(text: string): boolean {
  const key = headerKey(text);
  return key.length > 4 && !commonplace.has(key) && meaningOf(key, ['staff', 'inactive']) !== undefined;
}
