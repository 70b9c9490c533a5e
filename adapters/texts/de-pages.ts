import type { enPages } from './en-pages.ts'
import type { Texts } from './texts.ts'

/** German, as the pages say it. */
export const dePages: Pick<Texts, keyof typeof enPages> = {
  'page.error': 'Fehler: {text}',
  'page.problem': 'Es gibt ein Problem',
  'page.languages': 'Sprachen',
  'page.back': 'Zurück zu Ihrem Konto',
  'page.show': 'Anzeigen',
  'page.hide': 'Verbergen',
  'page.or': 'oder',

  'go.heading': 'Einen Moment',
  'go.link': 'Weiter',

  'fail.elsewhere.title': 'Das Formular kam von einer anderen Website',
  'fail.elsewhere.text':
    'Es wurde nichts geändert. Formulare werden nur von Seiten unter {origin} angenommen. Öffnen Sie die Seite dort und füllen Sie das Formular erneut aus.',
  'fail.unreadable.title': 'Das Formular konnte nicht gelesen werden',
  'fail.unreadable.text':
    'Es wurde nichts geändert. Öffnen Sie die Seite noch einmal und füllen Sie das Formular erneut aus.',
  'fail.throttled.title': 'Zu viele Versuche',
  'fail.throttled.text': 'Es wurde nichts geändert. Warten Sie {wait} und versuchen Sie es dann noch einmal.',
  'fail.throttled.codes':
    'Es wurde nichts geändert. Codes Ihrer App werden erst wieder angenommen, wenn Sie einen Wiederherstellungscode oder einen Passkey verwenden oder per E-Mail ein neues Passwort setzen.',
  'fail.busy.title': 'Der Dienst ist ausgelastet',
  'fail.busy.text': 'Es wurde nichts geändert. Versuchen Sie es in einigen Sekunden noch einmal.',
  'fail.provider.title': 'Der andere Anbieter antwortet nicht',
  'fail.provider.text':
    'Es wurde nichts geändert. Versuchen Sie es in einigen Minuten noch einmal, oder melden Sie sich anders an.',
  'fail.key.title': 'Codes Ihrer App können gerade nicht geprüft werden',
  'fail.key.text':
    'Es wurde nichts geändert. Verwenden Sie einen Wiederherstellungscode oder versuchen Sie es später noch einmal.',
  'fail.unknown.title': 'Das Ergebnis ist nicht bekannt',
  'fail.unknown.text':
    'Die Änderung wurde ganz oder gar nicht ausgeführt. Sehen Sie in Ihrem Konto nach, bevor Sie es noch einmal versuchen.',
  'fail.closed.title': 'Diese Seiten sind geschlossen',
  'fail.closed.text':
    'Es wurde nichts geändert. Der Betreiber dieses Dienstes hat sie geschlossen. Versuchen Sie es später noch einmal.',
  'wait.seconds': { one: '{count} Sekunde', other: '{count} Sekunden' },
  'wait.minutes': { one: '{count} Minute', other: '{count} Minuten' },
  'wait.hours': { one: '{count} Stunde', other: '{count} Stunden' },

  'field.email': 'E-Mail-Adresse',
  'field.password': 'Passwort',
  'field.old_password': 'Aktuelles Passwort',
  'field.new_password': 'Neues Passwort',
  'field.new_password.hint': 'Mindestens {count} Zeichen. Mehrere Wörter merkt man sich leicht.',
  'field.new_password_check': 'Neues Passwort wiederholen',
  'field.totp': 'Code Ihrer Authenticator-App',
  'field.recovery_code': 'Oder ein Wiederherstellungscode',
  'field.recovery_code.hint':
    'Wenn Sie die App nicht zur Hand haben. Jeder Wiederherstellungscode funktioniert einmal.',

  'error.email_missing': 'Geben Sie Ihre E-Mail-Adresse ein.',
  'error.password_missing': 'Geben Sie Ihr Passwort ein.',
  'error.credentials': 'E-Mail-Adresse und Passwort passen nicht zusammen.',
  'error.password_wrong': 'Das Passwort ist falsch.',
  'error.code_missing': 'Geben Sie den Code Ihrer App oder einen Wiederherstellungscode ein, nicht beides.',
  'error.totp_wrong':
    'Der Code ist falsch oder wurde schon verwendet. Warten Sie auf den nächsten und geben Sie ihn ein.',
  'error.recovery_code_wrong': 'Der Wiederherstellungscode ist falsch oder wurde schon verwendet.',
  'error.passkey': 'Der Passkey wurde nicht angenommen. Versuchen Sie es noch einmal.',
  'error.passkey_sign_in':
    'Mit diesem Passkey können Sie sich nicht anmelden. Versuchen Sie es noch einmal oder geben Sie Ihr Passwort ein.',
  'error.email_not_verified':
    'Bestätigen Sie zuerst Ihre E-Mail-Adresse: Öffnen Sie den Link in der E-Mail, die Sie bekommen haben.',
  'error.second_factor_missing':
    'Die Anmeldung verlangt hier einen zweiten Faktor, und Ihr Konto hat keinen. Wenden Sie sich an den Betreiber dieses Dienstes.',
  'error.new_password_missing': 'Geben Sie ein neues Passwort ein.',
  'error.new_password_check_missing': 'Geben Sie das neue Passwort noch einmal ein.',
  'error.new_password_check_differs': 'Die beiden Passwörter stimmen nicht überein.',
  'error.password_short': 'Das neue Passwort hat weniger als {count} Zeichen.',
  'error.password_leaked': 'Das neue Passwort steht auf der Liste bekannt gewordener Passwörter.',
  'error.password_names': 'Das neue Passwort besteht aus der E-Mail-Adresse oder dem Namen des Dienstes.',
  'error.password_common':
    'Das neue Passwort besteht aus Passwörtern oder Wörtern, die viele Menschen wählen.',
  'error.password_guessable': 'Das neue Passwort besteht aus Mustern, die leicht zu erraten sind.',
  'error.password_rule': 'Das neue Passwort wird abgelehnt: {predicate}',

  'passkey.use': 'Mit Passkey anmelden',
  'passkey.use_failed':
    'Es wurde kein Passkey verwendet. Versuchen Sie es noch einmal oder melden Sie sich anders an.',

  'authorize.wrong.title': 'Die Anwendung hat eine falsche Anfrage geschickt',
  'authorize.wrong.text':
    'Gehen Sie zur Anwendung zurück und versuchen Sie es noch einmal. Hilft das nicht, sagen Sie dem Betreiber der Anwendung, was unten steht.',
  'notice.choose_account': 'Mit welchem Konto möchten Sie weitermachen?',
  'notice.other_account': 'Die Anwendung verlangt ein anderes Konto. Melden Sie sich mit diesem an.',
  'notice.factor_needed':
    'Die Anwendung verlangt einen zweiten Faktor. Fügen Sie einen hinzu, dann geht es weiter.',
  'notice.email_needed':
    'Die Anwendung verlangt eine bestätigte E-Mail-Adresse. Bestätigen Sie Ihre, dann geht es weiter.',
  'notice.signed_out': 'Sie sind abgemeldet.',
  'notice.no_cookie':
    'Ihr Browser hat das Cookie der Anmeldung abgelehnt. Erlauben Sie Cookies für diese Seite und melden Sie sich noch einmal an.',
  'notice.expired':
    'Sie wurden abgemeldet. Melden Sie sich wieder an und wiederholen Sie den letzten Schritt. Es wurde nichts geändert.',
  'notice.password_changed': 'Ihr Passwort wurde geändert. Alle anderen Geräte wurden abgemeldet.',
  'notice.session_ended': 'Das Gerät wurde abgemeldet.',
  'notice.language_saved': 'Die Sprache wurde gespeichert.',
  'notice.others_ended': 'Alle anderen Geräte wurden abgemeldet.',

  'sign_in.heading': 'Anmelden',
  'sign_in.button': 'Anmelden',
  'sign_in.other.title': 'Sie sind als {email} angemeldet',
  'sign_in.other.text':
    'Wenn Sie sich mit einem anderen Konto anmelden, wird {email} in diesem Browser abgemeldet. Melden Sie sich noch einmal an, um fortzufahren.',
  'sign_in.stay': 'Als {email} angemeldet bleiben',

  'second_factor.heading': 'Bestätigen Sie, dass Sie es sind',
  'second_factor.intro': 'Ihr Konto verlangt auch einen zweiten Faktor.',
  'second_factor.button': 'Weiter',
  'second_factor.again': 'Von vorn beginnen',
  'second_factor.ended':
    'Es sind mehr als fünf Minuten vergangen, oder Ihr Konto wurde inzwischen geändert. Melden Sie sich noch einmal an.',

  'home.heading': 'Ihr Konto',
  'home.verified': 'E-Mail-Adresse bestätigt',
  'home.not_verified': 'E-Mail-Adresse noch nicht bestätigt',
  'home.password': 'Passwort ändern',
  'home.security': 'Zweite Faktoren',
  'home.sessions': 'Wo Sie angemeldet sind',
  'home.this': 'Dieses Gerät',
  'home.unnamed': 'Unbenanntes Gerät',
  'home.since': 'Seit {time}',
  'home.session': '{application}, seit {time}',
  'home.end': 'Dort abmelden',
  'home.end_others': 'Überall sonst abmelden',
  'home.language': 'Sprache der Seiten und Mails',
  'home.language.button': 'Speichern',
  'home.sign_out': 'Abmelden',

  'sign_in.client': 'Melden Sie sich an, um bei {name} weiterzumachen.',
  'sign_out.heading': 'Abmelden',
  'sign_out.text': 'Sie sind als {email} angemeldet.',
  'sign_out.all':
    'Sie sind als {email} angemeldet. Alle Anwendungen, die Sie in diesem Browser geöffnet haben, werden auch abgemeldet.',
  'sign_out.stay': 'Angemeldet bleiben',
  'sign_out.wrong.title': 'Die Anwendung hat eine falsche Anfrage geschickt',
  'sign_out.wrong.text': 'Sie sind noch angemeldet, denn die Rücksprungadresse gehört nicht zur Anwendung.',
  'sign_out.wrong.nobody': 'Die Rücksprungadresse gehört nicht zur Anwendung.',

  'step_up.heading': 'Bestätigen Sie, dass Sie es sind',
  'step_up.intro': 'Sie ändern gleich, was Ihr Konto schützt.',
  'step_up.button': 'Weiter',

  'password.heading': 'Passwort ändern',
  'password.intro': 'Alle anderen Geräte werden abgemeldet. Dieses bleibt angemeldet.',
  'password.button': 'Passwort ändern',
  'password.none': 'Ihr Konto hat kein Passwort.',

  'passkey.add': 'Passkey hinzufügen',
  'passkey.add_failed':
    'Es wurde kein Passkey hinzugefügt. Versuchen Sie es noch einmal oder mit einem anderen Gerät. Ein Gerät, das schon einen Passkey für dieses Konto hat, kann keinen weiteren hinzufügen.',

  'error.app_code_missing': 'Geben Sie den Code ein, den die App anzeigt.',
  'error.factor_name': 'Geben Sie einen Namen mit 1 bis 64 druckbaren Zeichen ein.',
  'error.passkey_missing': 'Der Browser hat keinen Passkey gesendet. Versuchen Sie es noch einmal.',
  'error.passkey_taken': 'Dieser Passkey gehört zu einem anderen Konto.',

  'notice.totp_added': 'Die App wurde hinzugefügt. Alle anderen Geräte wurden abgemeldet.',
  'notice.passkey_added': 'Der Passkey wurde hinzugefügt. Alle anderen Geräte wurden abgemeldet.',
  'notice.factor_renamed': 'Der Name wurde gespeichert.',
  'notice.factor_removed': 'Der zweite Faktor wurde entfernt. Alle anderen Geräte wurden abgemeldet.',
  'notice.factor_gone': 'Dieser zweite Faktor wurde inzwischen entfernt.',

  'notice.recovered':
    'Ihr neues Passwort ist gesetzt, und Sie sind überall abgemeldet. Melden Sie sich damit an.',

  'field.new_email': 'Neue E-Mail-Adresse',
  'field.present_email': 'Aktuelle E-Mail-Adresse',
  'error.email_malformed': 'Geben Sie eine E-Mail-Adresse ein, zum Beispiel name@example.com.',
  'error.email_taken': 'Diese E-Mail-Adresse gehört zu einem anderen Konto.',
  'error.new_email_missing': 'Geben Sie die neue E-Mail-Adresse ein.',

  'mailbox.heading': 'Sehen Sie in Ihrem Postfach nach',
  'mailbox.hint': 'Die E-Mail kann einige Minuten brauchen. Sehen Sie auch im Spam-Ordner nach.',

  'forgotten.link': 'Passwort vergessen?',
  'forgotten.heading': 'Neues Passwort setzen',
  'forgotten.intro':
    'Geben Sie die E-Mail-Adresse Ihres Kontos ein. Wir schicken Ihnen einen Link, mit dem Sie ein neues Passwort setzen.',
  'forgotten.button': 'Link schicken',
  'forgotten.done':
    'Wenn es ein Konto mit dieser E-Mail-Adresse gibt, ist eine E-Mail mit einem Link unterwegs.',
  'forgotten.again': 'Andere E-Mail-Adresse verwenden',
  'forgotten.back': 'Zurück zur Anmeldung',

  'link.unusable': 'Dieser Link funktioniert nicht',
  'link.incomplete': 'Der Link ist unvollständig. Öffnen Sie den ganzen Link aus der E-Mail.',
  'link.ended': 'Der Link ist falsch, wurde schon verwendet oder ist abgelaufen.',
  'link.email_ended':
    'Der Link ist falsch, wurde schon verwendet oder ist abgelaufen, oder die Adresse gehört zu einem anderen Konto.',
  'link.start_again': 'Kehren Sie zur Anwendung zurück und beginnen Sie von vorn.',
  'link.another': 'Neuen Link anfordern',
  'link.other':
    'Sie sind als {visitor} angemeldet, und dieser Link ist für {email}. Sie können ihn verwenden, und {visitor} bleibt angemeldet.',
  'link.return': 'Zurück zur Anwendung',

  'recovery.heading': 'Neues Passwort wählen',
  'recovery.intro': 'Mit dem neuen Passwort werden Sie überall abgemeldet.',
  'recovery.button': 'Neues Passwort setzen',

  'email.heading': 'E-Mail-Adresse bestätigen',
  'email.intro': 'Bestätigen Sie nur, wenn Sie das selbst angefordert haben.',
  'email.button': 'Bestätigen',
  'email.done': 'Ihre E-Mail-Adresse ist bestätigt',
  'email.done.text': 'Sie können diese Seite schließen.',

  'change_email.heading': 'E-Mail-Adresse ändern',
  'change_email.intro':
    'Wir schicken einen Link an die neue Adresse. Ihre Adresse ändert sich, sobald Sie ihn öffnen und bestätigen.',
  'change_email.button': 'Link dorthin schicken',
  'change_email.done':
    'Sehen Sie im Postfach von {email} nach: Öffnen Sie den Link in der E-Mail, um die Adresse zu bestätigen.',
  'change_email.present': 'Ihre aktuelle Adresse',
  'change_email.unconfirmed':
    '{email} ist noch nicht bestätigt. Wir können Ihnen einen Link zur Bestätigung schicken.',
  'change_email.confirm': 'Link schicken',
  'change_email.other': 'Andere Adresse',
  'change_email.step_up': 'Bestätigen Sie, dass Sie es sind, bevor Sie Ihre E-Mail-Adresse ändern.',

  'password.mail_link': 'Link zum Setzen eines Passworts schicken',
  'home.email': 'E-Mail-Adresse ändern',
  'home.email.unconfirmed': 'E-Mail-Adresse bestätigen oder ändern',

  'notice.registered': 'Ihr Konto ist bereit. Melden Sie sich an.',
  'notice.already_done': 'Das ist schon erledigt. Melden Sie sich an.',
  'notice.other_registered': 'Das neue Konto ist bereit. Sie sind weiter mit diesem hier angemeldet.',
  'sign_in.register': 'Konto erstellen',
  'register.heading': 'Konto erstellen',
  'register.intro':
    'Geben Sie Ihre E-Mail-Adresse ein. Wir schicken Ihnen einen Link, mit dem Sie ein Passwort wählen.',
  'register.button': 'Link schicken',
  'register.mailed.text':
    'Eine E-Mail ist unterwegs an die Adresse, die Sie eingegeben haben. Öffnen Sie den Link darin. Wenn nach einigen Minuten nichts ankommt, sehen Sie im Spam-Ordner nach.',
  'register.again': 'E-Mail-Adresse noch einmal eingeben',
  'register.finish': 'Passwort wählen',
  'register.finish.text': 'Ihre E-Mail-Adresse ist bestätigt. Es fehlt nur noch ein Passwort.',
  'register.done': 'Konto erstellen',
  'register.ended': 'Dieser Link funktioniert nicht',
  'register.ended.text':
    'Der Link ist unvollständig oder abgelaufen. Geben Sie Ihre E-Mail-Adresse noch einmal ein, dann erhalten Sie einen neuen.',
  'register.sign_in': 'Ich habe schon ein Konto',
  'register.other': 'Sie sind als {email} angemeldet und bleiben es.',

  'notice.removed': 'Ihr Konto wurde gelöscht.',
  'home.remove': 'Konto löschen',
  'remove.heading': 'Konto löschen',
  'remove.text':
    'Alles, was zu Ihrem Konto gehört, wird gelöscht, und Sie werden überall abgemeldet. Das lässt sich nicht rückgängig machen.',
  'remove.sure': 'Ich bin sicher: mein Konto endgültig löschen',
  'remove.not_sure': 'Setzen Sie dieses Häkchen, wenn Sie sicher sind.',
  'remove.button': 'Konto löschen',
}
