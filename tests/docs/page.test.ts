import { expect } from 'chai'
import { pageOf } from '../../adapters/http/docs/page.ts'
import { A_DOCUMENT } from './a-document.ts'

const page = pageOf(A_DOCUMENT, 'http://base.test/there', { style: 'a > b {}', icon: '<svg>' })

/** The visible text, with a line per block. */
const textOf = (written: string): string =>
  written
    .replaceAll(/<\/?(?:p|li|ul|h[1-6]|section|div|details|summary|pre)\b[^>]*>/g, '\n')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/\n\s*/g, '\n')

const text = textOf(page)
describe('the page of a document', () => {
  for (const [what, line] of [
    ['its title', 'Lighthouse: HTTP reference'],
    ['its version', 'Lighthouse 7.8.9'],
    ['its summary', 'Shows ships where the rocks are.'],
    ['its description, with its Markdown', 'A ship is seen at night:'],
    ['an item of a list over two lines', 'from the left,\nfar away'],
    ['a tag', 'Lamps\nThey turn.'],
    ['an operation', 'GET /lamps\nLook at the lamps'],
    ['what an operation does', 'It burns until morning.'],
    ['the token that an operation requires', 'Requires keeper with the scope lamps:light oil or guest.'],
    ['that an operation requires no token', 'Requires no token.'],
    ['a parameter of a path', 'Parameters\nShip'],
    ['a parameter of an operation', 'Wind required\nheader\nIts force.\nnumber'],
    ['a body', 'Body\nWhich one.\napplication/json\nLamp\nA red one\n'],
    ['a referenced example', 'Another one\n{\n&quot;color&quot;: &quot;green&quot;'],
    ['a response', '200 OK\nHow they are.'],
    ['the description of an example', 'A red one\nIt is rare.\n{'],
    ['a default response', 'default \nThank you.'],
    ['an array of a named schema', 'array of Lamp, at least 1 item, at most 3 items'],
    ['a header', 'Lamp-Age required\nIn nights.\ninteger, at most 9000'],
    ['a referenced header', '\nTide\n'],
    ['a referenced error', '500 Internal Server Error\nThe keeper sleeps.\nBody and headers'],
    ['a choice of values', 'color one of &quot;red&quot;, &quot;green&quot;, required\nOf its glass.'],
    [
      'a text with bounds',
      'name string or null, not empty, at most 40 characters, matching ^[^\\n]*$, for example &quot;Big one&quot;',
    ],
    ['that a text is well-formed', 'label string, well-formed Unicode'],
    ['a format and a default', 'since string, date-time, default &quot;now&quot;'],
    ['a constant', 'turns always true'],
    ['a number with a bound', 'watts integer, at least 5'],
    ['an array of objects', 'parts array of object\nscrew boolean'],
    ['additional properties', 'more object\nAny other member:\nstring, at least 3 characters'],
    ['one of several', 'either a value\nOne of:\ngas\nBurns.\nnull'],
    ['one or more of several', 'some a value\nOne or more of:\nalways 1\nalways &quot;one&quot;'],
    ['all of several', 'both a value\nAll of:\nOil\nobject'],
    ['a security scheme', 'keeper\nbearer, JWT\nHas the key.'],
    ['a shared response', '500 Internal Server Error\nThe keeper sleeps.'],
    ['a shared header', 'Tide\nHigh or low.'],
    ['a shared parameter', 'Ship\nheader\nWho looks.'],
  ] as const) {
    it(`shows ${what}`, () => expect(text).to.include(line))
  }

  it('embeds its style and its icon', () => {
    expect(page).to.include('<style>a > b {}</style>')
    expect(page).to.include('<link rel="icon" href="data:image/svg+xml,%3Csvg%3E">')
  })

  it('groups operations by tag, in order, and omits unused tags', () => {
    const [, navigation = ''] = /<nav[^>]*>(.*?)<\/nav>/s.exec(page) ?? []
    expect(textOf(navigation).trim().split('\n')).to.deep.equal([
      'Lamps',
      'GET /lamps',
      'POST /lamps',
      'Other operations',
      'HEAD /fog',
      'POST /fog',
    ])
  })

  it('has only links to unique places on the page and to URLs of the document', () => {
    const targets = [...page.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, target]) => target ?? '')
    const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)
    expect(new Set(ids).size).to.equal(ids.length)
    const [inside, outside] = [true, false].map((wanted) =>
      targets.filter((target) => target.startsWith('#') === wanted),
    )
    expect(inside).to.have.length.above(10)
    for (const target of inside ?? []) expect(ids).to.include(target.slice(1))
    expect(new Set(outside)).to.deep.equal(new Set(['openapi.json', 'https://stars.test/']))
  })
})
