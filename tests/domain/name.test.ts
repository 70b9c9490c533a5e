import { expect } from 'chai'
import { isName, isPrintable } from '../../domain/name.ts'
import { isPossibleLabel } from '../../domain/sign-in.ts'
import { withoutIo } from './no-io.ts'

const SCOTLAND = '\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}'

describe('a name', () => {
  withoutIo()

  const ACCEPTED = [
    ['a word', 'phone'],
    ['a Persian word with a non-joiner', 'گوشی\u200cهای من'],
    ['a Hindi word with a joiner', 'क्\u200dष'],
    ['a family of joined emoji', '👩\u200d👩\u200d👧'],
    ['the flag of Scotland, in tag characters', SCOTLAND],
    ['an emoji with a variation selector', '❤\ufe0f\u200d🔥'],
    ['100 characters', 'a'.repeat(100)],
    ['100 characters, half of them joiners', '👩\u200d'.repeat(50)],
  ] as const
  for (const [what, text] of ACCEPTED)
    it(`can be ${what}`, () => {
      expect([isName(text), isPossibleLabel(text)]).to.deep.equal([true, true])
    })

  const REFUSED = [
    ['empty', ''],
    ['white space', ' \u00a0'],
    ['joiners only', '\u200c\u200d'],
    ['tag characters only', SCOTLAND.slice(2)],
    ['joiners and white space', ' \u200d '],
    ['longer than 100 characters', 'a'.repeat(101)],
    ['51 joined emoji', '👩\u200d'.repeat(51)],
    ['of two lines', 'a\nb'],
    ['with a line separator', 'a\u2028b'],
    ['with a right-to-left override', 'a\u202eb'],
    ['with a zero-width space', 'a\u200bb'],
    ['with a language tag', 'a\u{e0001}b'],
    ['with a character that is not assigned', 'a\u{e0000}b'],
    ['with a byte order mark', '\ufeffa'],
    ['with an escape sequence', 'a\u001b[2J'],
    ['no Unicode', 'a\ud800'],
  ] as const
  for (const [what, text] of REFUSED)
    it(`is never ${what}`, () => {
      expect(isName(text)).to.equal(false)
    })

  it('of a factor has at most 64 characters', () => {
    expect([isPrintable('a'.repeat(64), 64), isPrintable('a'.repeat(65), 64)]).to.deep.equal([true, false])
  })
})
