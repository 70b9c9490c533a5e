import type { enIdentities } from './en-identities.ts'
import type { Texts } from './texts.ts'

/** German, as the pages say it about identity providers. */
export const deIdentities: Pick<Texts, keyof typeof enIdentities> = {
  'identity.sign_in': 'Mit {provider} anmelden',
  'identity.step_up': 'Mit {provider} bestätigen',
  'identity.link': '{provider} verknüpfen',
  'identity.heading': 'Anmeldung über andere Anbieter',
  'identity.intro': 'Mit einem verknüpften Konto eines anderen Anbieters melden Sie sich auch hier an.',
  'identity.unverified':
    'Bestätigen Sie zuerst Ihre E-Mail-Adresse, um ein Konto eines anderen Anbieters zu verknüpfen.',
  'identity.too_many': 'Sie haben zehn Konten verknüpft. Entfernen Sie eines, um ein anderes zu verknüpfen.',
  'identity.no_factor': 'Sie haben keinen zweiten Faktor.',
  'identity.removing': 'Anmeldung über einen anderen Anbieter entfernen',
  'identity.renaming': 'Anmeldung über einen anderen Anbieter umbenennen',

  'identity.ended.title': 'Diese Anmeldung geht hier nicht weiter',
  'identity.ended.text':
    'Sie wurde in einem anderen Browser oder vor mehr als zehn Minuten begonnen, oder sie ist schon abgeschlossen. Jetzt wurde nichts geändert.',
  'identity.again': 'Noch einmal anmelden',
  'identity.other.text':
    'Ihr Konto bei dem Anbieter gehört hier zu einem anderen Konto. Es wurde nichts geändert. Um sich mit jenem anzumelden, melden Sie sich noch einmal an und bestätigen, dass {email} abgemeldet wird.',

  'identity.refused':
    'Die Anmeldung bei dem Anbieter ist nicht gelungen. Versuchen Sie es noch einmal, oder melden Sie sich anders an.',
  'identity.no_email':
    'Der Anbieter sagt nicht, dass Ihre E-Mail-Adresse bestätigt ist. Melden Sie sich anders an und verknüpfen Sie den Anbieter dann in Ihrem Konto.',
  'identity.link_first':
    'Ihr Konto ist nicht mit diesem Anbieter verknüpft. Melden Sie sich anders an oder setzen Sie ein neues Passwort. Verknüpfen Sie den Anbieter dann in Ihrem Konto.',
  'identity.disabled': 'Dieses Konto ist gesperrt.',
  'identity.unknown': 'Kein Konto hat hier die E-Mail-Adresse, die Sie bei dem Anbieter haben.',
  'identity.taken': 'Ihr Konto bei dem Anbieter ist hier schon mit einem Konto verknüpft.',
  'identity.last_way_in':
    'Das wurde nicht entfernt, denn sonst könnten Sie sich nicht mehr anmelden. Setzen Sie zuerst ein Passwort oder fügen Sie einen Passkey hinzu.',

  'notice.identity_linked': 'Der Anbieter ist verknüpft. Alle anderen Geräte wurden abgemeldet.',
  'notice.identity_removed':
    'Die Anmeldung über den Anbieter wurde entfernt. Alle anderen Geräte wurden abgemeldet.',
  'home.security_identities': 'Zweite Faktoren und andere Anbieter',
}
