import { expect } from 'chai'
import * as fc from 'fast-check'
import { markdown } from '../../adapters/http/docs/markdown.ts'
import { pageOf } from '../../adapters/http/docs/page.ts'
import { html } from '../../adapters/http/operation/html.ts'
import { anyCharacter } from '../support/code-points.ts'
import { A_DOCUMENT } from './a-document.ts'

/** Texts with many special characters of HTML and Markdown. */
const text = fc.string({
  unit: fc.oneof(
    fc.constantFrom('<', '>', '&', '"', "'", '`', '*', '[', ']', '(', ')', '-', '#', ' ', '\n'),
    fc.string({ unit: anyCharacter, minLength: 1, maxLength: 1 }),
  ),
})

describe('an HTML template', () => {
  it('escapes every inserted text', () => {
    fc.assert(
      fc.property(text, text, (one, other) => {
        const { html: made } = html`<p title="${one}">${other}</p>`
        const [, attribute = '', inside = ''] = /^<p title="([^"<>]*)">([^<>]*)<\/p>$/.exec(made) ?? []
        expect([attribute, inside].map(read)).to.deep.equal([one, other])
      }),
    )
  })

  it('inserts HTML as it is, lists item by item, and omits undefined and false', () => {
    const items = ['a', 'b & c'].map((item) => html`<li>${item}</li>`)
    const made = html`<ul>${items}</ul>${undefined}${false}${[1, ['<']]}${''}`
    expect(made.html).to.equal('<ul><li>a</li><li>b &amp; c</li></ul>1&lt;')
  })
})

describe('Markdown', () => {
  const wholeOf = (source: string) =>
    markdown(source)
      .map((part) => part.html)
      .join('')

  for (const [source, made] of [
    ['a\nb', '<p>a\nb</p>'],
    ['a\n\nb', '<p>a</p><p>b</p>'],
    ['- a\n  b\n- c', '<ul><li>a\n  b</li><li>c</li></ul>'],
    ['## A `b`', '<h2>A <code>b</code></h2>'],
    [
      '`<a>` and **b**, **c `d`**',
      '<p><code>&lt;a&gt;</code> and <strong>b</strong>, <strong>c `d`</strong></p>',
    ],
    ['[a](https://b.test/?c&d) [e](#f)', '<p><a href="https://b.test/?c&amp;d">a</a> <a href="#f">e</a></p>'],
    ['[a](javascript:b) [c](//d) `e', '<p>[a](javascript:b) [c](//d) `e</p>'],
    ['1 * 2 ** 3 - 4', '<p>1 * 2 ** 3 - 4</p>'],
  ] as const) {
    it(`turns ${JSON.stringify(source)} into ${made}`, () => expect(wholeOf(source)).to.equal(made))
  }

  it('of any text produces no other elements and no executable links', () => {
    fc.assert(
      fc.property(text, (source) => {
        const tags = wholeOf(source).match(/<[^>]*>/g) ?? []
        for (const tag of tags)
          expect(tag).to.match(/^<(?:\/?(?:p|ul|li|h2|code|strong)|\/a|a href="(?:https?:\/\/|#)[^"<>]*")>$/)
      }),
    )
  })
})

describe('the page of any document', () => {
  const files = { style: 'a > b {}', icon: '<svg>' }
  const tagsOf = (page: string) => page.match(/<[a-z!/][^>]*>/g) ?? []

  it('contains no elements from texts of the document', () => {
    const twisted = (to: string) =>
      JSON.parse(JSON.stringify(A_DOCUMENT), (key, value) =>
        typeof value === 'string' && !FIXED.has(key) ? `${value}${to}` : value,
      )
    const plain = tagsOf(pageOf(twisted('x'), 'http://a.test', files))
    const words = tagsOf(pageOf(twisted(`<img src=x onerror=alert(1)>"'><script>`), 'http://a.test', files))
    expect(words.map(nameOf)).to.deep.equal(plain.map(nameOf))
  })
})

/** Keys whose values change the meaning of the document. */
const FIXED = new Set(['$ref', 'url'])

const nameOf = (tag: string): string => /^<[/!]?[a-z0-9]+/.exec(tag)?.[0] ?? tag

/** Decodes the entities of the template like a browser. */
const read = (written: string): string =>
  written
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
