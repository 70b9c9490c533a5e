import { expect } from 'chai'
import { codeText } from '../../domain/code-text.ts'
import { withoutIo } from './no-io.ts'

describe('the text of a code', () => {
  withoutIo()

  const WRITTEN: ReadonlyArray<readonly [what: string, entered: string]> = [
    ['as shown', '0123456789'],
    ['in groups', ' 012 345\t6789\r\n'],
    ['with hyphens', '012-345-6789'],
    ['with a hyphen, a non-breaking one, dashes and a minus', '0‐1‑2–3—4―5−6－7﹘8⁃9'],
    ['with a soft hyphen', '01234\u00ad56789'],
    ['with invisible characters', '\ufeff01\u200b23\u200c45\u200e67\u206089'],
    ['in full width', '０１２３４５６７８９'],
    ['in Arabic', '٠١٢٣٤٥٦٧٨٩'],
    ['in Persian', '۰۱۲۳۴۵۶۷۸۹'],
    ['in Devanagari', '०१२३४५६७८९'],
    ['in Thai', '๐๑๒๓๔๕๖๗๘๙'],
    ['in bold digits of mathematics', '𝟎𝟏𝟐𝟑𝟒𝟓𝟔𝟕𝟖𝟗'],
    ['in Osmanya', '𐒠𐒡𐒢𐒣𐒤𐒥𐒦𐒧𐒨𐒩'],
    ['in two scripts', '01234٥٦٧٨٩'],
  ]
  for (const [what, entered] of WRITTEN)
    it(`is the same ${what}`, () => expect(codeText(entered)).to.equal('0123456789'))

  it('keeps the digits apart in scripts that follow each other', () => {
    expect(codeText('᪀᪁᪉᪐᪑᪙')).to.equal('019019')
  })

  it('keeps every other character', () => {
    expect(codeText('12.34,5/6+a_Z\ud800')).to.equal('12.34,5/6+a_Z\ud800')
  })
})
