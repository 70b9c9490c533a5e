import { type LetterOptions, letterWriter } from '../../adapters/mail/letters/letter.ts'
import { languages } from '../../adapters/texts/languages.ts'
import type { Letter } from '../../application/ports/mail.ts'

export const letter = (changed: Partial<Letter> = {}): Letter => ({
  kind: 'test',
  to: 'ada@lovelace.example',
  subject: 'Hello',
  text: 'Hello Ada\n',
  html: '<p>Hello Ada</p>',
  language: 'en',
  messageId: '0198@example.com',
  ...changed,
})

export const russianLetter = letter({ subject: 'Здравствуйте', text: 'Здравствуйте, Ада\n', language: 'ru' })

export const writerOf = (changed: Partial<LetterOptions> = {}) =>
  letterWriter({
    name: 'Otterworks',
    contact: 'help@example.com',
    url: 'https://auth.example.com',
    from: 'noreply@example.com',
    languages: languages({}, 'en'),
    template: () => undefined,
    ...changed,
  })
