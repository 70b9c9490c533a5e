import type { enSecurity } from './en-security.ts'
import type { Texts } from './texts.ts'

/** German, as the page of second factors says it. */
export const deSecurity: Pick<Texts, keyof typeof enSecurity> = {
  'security.heading': 'Ihre zweiten Faktoren',
  'security.none': 'Sie haben keinen zweiten Faktor. Nur Ihr Passwort schützt Ihr Konto.',
  'security.nothing':
    'Ihr Konto hat weder ein Passwort noch einen zweiten Faktor. Fügen Sie einen Passkey hinzu, sonst können Sie sich nur noch mit einem Link per E-Mail anmelden.',
  'security.totp': 'Authenticator-App',
  'security.passkey': 'Passkey',
  'security.identity': 'Anmeldung über einen anderen Anbieter',
  'security.added': '{kind}, hinzugefügt am {time}',
  'security.unused': 'Noch nicht verwendet',
  'security.used': 'Zuletzt verwendet am {time}',
  'security.rename': 'Umbenennen',
  'security.remove': 'Entfernen',
  'security.add_totp': 'Authenticator-App hinzufügen',
  'security.back': 'Zurück zu Ihren zweiten Faktoren',
  'security.unverified':
    'Bestätigen Sie zuerst Ihre E-Mail-Adresse, um einen zweiten Faktor hinzuzufügen. Sonst könnten Sie Ihr Konto nicht wiederherstellen.',
  'security.too_many':
    'Sie haben die größtmögliche Zahl zweiter Faktoren. Entfernen Sie einen, um einen anderen hinzuzufügen.',
  'security.off': 'Zurzeit kann kein zweiter Faktor hinzugefügt werden.',
  'security.codes': 'Wiederherstellungscodes',
  'security.codes_left': { one: 'Sie haben noch {count} Code.', other: 'Sie haben noch {count} Codes.' },
  'security.codes_none': 'Sie haben keine Codes mehr.',
  'security.codes_use':
    'Jeder ersetzt einmal Ihre anderen Faktoren, zum Beispiel wenn Sie Ihr Telefon verlieren.',
  'security.codes_new': 'Neue Wiederherstellungscodes',
  'security.codes_made': 'Sie haben neue Wiederherstellungscodes',
  'security.codes_changed':
    'Es wurden jetzt keine Codes erstellt, weil sich Ihr Konto geändert hat, seit dieses Formular angezeigt wurde. Vielleicht haben Sie es zweimal gesendet.',
  'security.codes_yours': 'Ihre Wiederherstellungscodes',
  'security.codes_keep':
    'Drucken oder schreiben Sie sie jetzt auf und bewahren Sie sie sicher auf. Sie werden nicht noch einmal angezeigt. Frühere Codes gelten nicht mehr.',
  'security.codes_once':
    'Wiederherstellungscodes werden nur einmal angezeigt. Wenn Sie die letzten nicht gesehen haben, holen Sie sich neue: Frühere gelten dann nicht mehr.',
  'security.scan':
    'Scannen Sie dieses Bild mit Ihrer Authenticator-App. Geben Sie dann den Code ein, den die App anzeigt.',
  'security.picture': 'QR-Code für Ihre Authenticator-App',
  'security.secret': 'Oder geben Sie diesen Schlüssel in die App ein:',
  'security.here': 'Ist die App auf diesem Gerät?',
  'security.open': 'App öffnen',
  'security.code': 'Code, den die App anzeigt',
  'security.name': 'Name für diese App (freiwillig)',
  'security.name.hint': 'Damit unterscheiden Sie mehrere Apps, zum Beispiel „Mein Telefon“.',
  'security.add_this': 'Diese App hinzufügen',
  'security.totp_added': 'Ihre App wurde hinzugefügt',
  'security.totp_already': 'Ihre App wurde bereits hinzugefügt',
  'security.passkey_added': 'Ihr Passkey wurde hinzugefügt',
  'security.passkey_already': 'Ihr Passkey wurde bereits hinzugefügt',
  'security.others_out': 'Alle anderen Geräte wurden abgemeldet. Dieses bleibt angemeldet.',
  'security.again': 'Von vorn beginnen',
  'security.ended':
    'Es wurde keine App hinzugefügt. Es sind mehr als zehn Minuten vergangen, oder Ihr Passwort oder Ihre zweiten Faktoren haben sich inzwischen geändert.',
  'security.removing': 'Zweiten Faktor entfernen',
  'security.removing_one':
    'Mit „{name}“ können Sie sich dann nicht mehr anmelden, und alle anderen Geräte werden abgemeldet.',
  'security.removing_last':
    '„{name}“ ist Ihr letzter zweiter Faktor. Ohne ihn schützt nur noch Ihr Passwort Ihr Konto, Ihre Wiederherstellungscodes gelten nicht mehr, und alle anderen Geräte werden abgemeldet.',
  'security.renaming': 'Zweiten Faktor umbenennen',
  'security.new_name': 'Neuer Name',
  'security.save': 'Speichern',
}
