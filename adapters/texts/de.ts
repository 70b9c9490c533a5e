import { deIdentities } from './de-identities.ts'
import { dePages } from './de-pages.ts'
import { deSecurity } from './de-security.ts'
import type { Texts } from './texts.ts'

/** German. */
export const de: Texts = {
  ...deIdentities,
  ...dePages,
  ...deSecurity,

  'mail.minutes': { one: '{count} Minute', other: '{count} Minuten' },
  'mail.hours': { one: '{count} Stunde', other: '{count} Stunden' },
  'mail.link_life': 'Der Link funktioniert einmal und ist {lifetime} lang gültig.',
  'mail.if_you': 'Wenn Sie das waren, müssen Sie nichts tun.',
  'mail.if_not_you': 'Wenn Sie das nicht waren, schreiben Sie an {contact}.',
  'mail.if_not_you_set_password':
    'Wenn Sie das nicht waren, schreiben Sie an {contact} und setzen Sie jetzt ein neues Passwort:',
  'mail.ignore': 'Wenn Sie das nicht waren, ignorieren Sie diese E-Mail. Es wurde nichts geändert.',

  'mail.recovery.subject': 'Neues Passwort setzen',
  'mail.recovery.body':
    'Für Ihr Konto bei {name} wurde ein neues Passwort angefordert. Um es zu setzen, öffnen Sie diesen Link:',
  'mail.recovery.ignore':
    'Wenn Sie das nicht waren, ignorieren Sie diese E-Mail. Ihr Passwort bleibt unverändert.',

  'mail.registration.subject': 'Registrierung abschließen',
  'mail.registration.body':
    'Mit dieser E-Mail-Adresse soll ein Konto bei {name} angelegt werden. Um die Registrierung abzuschließen, öffnen Sie diesen Link:',
  'mail.registration.ignore':
    'Wenn Sie das nicht waren, ignorieren Sie diese E-Mail. Es wird kein Konto angelegt.',

  'mail.registration_known.subject': 'Sie haben schon ein Konto',
  'mail.registration_known.body':
    'Mit dieser E-Mail-Adresse sollte ein Konto bei {name} angelegt werden, aber Sie haben schon eines. Hier melden Sie sich an:',
  'mail.registration_known.recover': 'Wenn Sie Ihr Passwort vergessen haben, setzen Sie hier ein neues:',

  'mail.email_confirmation.subject': 'E-Mail-Adresse bestätigen',
  'mail.email_confirmation.body':
    'Diese E-Mail-Adresse wurde für ein Konto bei {name} angegeben. Um zu bestätigen, dass sie Ihnen gehört, öffnen Sie diesen Link:',
  'mail.email_confirmation.ignore':
    'Wenn Sie das nicht waren, ignorieren Sie diese E-Mail. Die Adresse wird dann nicht bestätigt.',

  'mail.email_entered.subject': 'Für Ihr Konto wurde eine andere E-Mail-Adresse eingegeben',
  'mail.email_entered.body':
    'Am {time} wurde für Ihr Konto bei {name} eine andere E-Mail-Adresse eingegeben. Die neue Adresse ersetzt diese hier, sobald sie bestätigt ist.',

  'mail.email_changed.subject': 'Ihre E-Mail-Adresse wurde geändert',
  'mail.email_changed.body':
    'Am {time} wurde die E-Mail-Adresse Ihres Kontos bei {name} geändert. Diese Adresse gehört nicht mehr zum Konto.',

  'mail.password_changed.subject': 'Ihr Passwort wurde geändert',
  'mail.password_changed.body': 'Am {time} wurde das Passwort Ihres Kontos bei {name} geändert.',

  'mail.password_recovered.subject': 'Ihr Passwort wurde zurückgesetzt',
  'mail.password_recovered.body':
    'Am {time} wurde das Passwort Ihres Kontos bei {name} über einen Link aus einer E-Mail zurückgesetzt. Alle Geräte wurden abgemeldet.',

  'mail.factor_added.subject': 'Ein zweiter Faktor wurde hinzugefügt',
  'mail.factor_added.body':
    'Am {time} wurde Ihrem Konto bei {name} ein zweiter Faktor hinzugefügt: {factor}.',
  'mail.factor_removed.subject': 'Ein zweiter Faktor wurde entfernt',
  'mail.factor_removed.body':
    'Am {time} wurde von Ihrem Konto bei {name} ein zweiter Faktor entfernt: {factor}.',
  'mail.factor_removed.all': 'Am {time} wurden alle zweiten Faktoren von Ihrem Konto bei {name} entfernt.',
  'mail.factor.all': 'alle zweiten Faktoren',
  'mail.factor.totp': 'eine Authenticator-App',
  'mail.factor.passkey': 'ein Passkey',
  'mail.identity_added.subject': 'Eine Anmeldung über einen anderen Anbieter wurde hinzugefügt',
  'mail.identity_added.body':
    'Am {time} wurde eine Anmeldung über einen anderen Anbieter zu Ihrem {name}-Konto hinzugefügt.',
  'mail.identity_removed.subject': 'Eine Anmeldung über einen anderen Anbieter wurde entfernt',
  'mail.identity_removed.body':
    'Am {time} wurde eine Anmeldung über einen anderen Anbieter aus Ihrem {name}-Konto entfernt.',
  'mail.factor.recovery_codes': 'Wiederherstellungscodes',

  'mail.recovery_codes.made_subject': 'Neue Wiederherstellungscodes',
  'mail.recovery_codes.made': {
    one: 'Am {time} wurde {count} neuer Wiederherstellungscode für Ihr Konto bei {name} erstellt. Frühere Codes gelten nicht mehr.',
    other:
      'Am {time} wurden {count} neue Wiederherstellungscodes für Ihr Konto bei {name} erstellt. Frühere Codes gelten nicht mehr.',
  },
  'mail.recovery_codes.used_subject': 'Ein Wiederherstellungscode wurde verwendet',
  'mail.recovery_codes.used': {
    one: 'Am {time} wurde ein Wiederherstellungscode Ihres Kontos bei {name} verwendet. {count} Code ist noch übrig.',
    other:
      'Am {time} wurde ein Wiederherstellungscode Ihres Kontos bei {name} verwendet. {count} Codes sind noch übrig.',
  },

  'mail.password_leaked.subject': 'Ihr Passwort wurde ohne zweiten Faktor eingegeben',
  'mail.password_leaked.body':
    'Am {time} wurde das Passwort Ihres Kontos bei {name} eingegeben, aber nicht der zweite Faktor. Die Anmeldung wurde nicht abgeschlossen.',
  'mail.password_leaked.if_not_you':
    'Wenn Sie das nicht waren, kennt jemand Ihr Passwort. Ändern Sie es jetzt und schreiben Sie an {contact}.',

  'mail.account_removed.subject': 'Ihr Konto wurde gelöscht',
  'mail.account_removed.body': 'Am {time} wurde Ihr Konto bei {name} gelöscht.',

  'mail.welcome.subject': 'Willkommen bei {name}',
  'mail.welcome.body': 'Ihr Konto bei {name} ist eingerichtet. Hier verwalten Sie es:',

  'mail.device.unnamed': 'ein Gerät ohne Namen',
  'mail.new_sign_in.subject': 'Neue Anmeldung',
  'mail.new_sign_in.body':
    'Am {time} gab es eine Anmeldung in Ihrem Konto bei {name} auf einem neuen Gerät: {device}.',
  'mail.new_sign_in.unnamed':
    'Am {time} gab es eine Anmeldung in Ihrem Konto bei {name} auf einem neuen Gerät.',

  'mail.test.subject': 'Testmail von {name}',
  'mail.test.body': 'Das ist eine Testmail vom {time}. {name} kann E-Mails senden.',
}
