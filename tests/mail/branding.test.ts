import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { isLeft } from 'fp-ts/lib/Either.js'
import { BASE_STYLE } from '../../adapters/http/operation/base-style.ts'
import { type Branding, styleIn } from '../../adapters/texts/branding.ts'
import { contrastProblems } from '../../adapters/texts/contrast.ts'
import { pagesFolder } from '../../adapters/texts/pages-folder.ts'

const LOADS = 'url( must begin with data:'
const STRINGS = 'it must not have image-set( or src('

describe('style.css of PAGES_FOLDER', () => {
  const WRONG: Readonly<Record<string, string>> = {
    'a{background:url(https://evil.example/a)}': LOADS,
    'a{background:URL( "//evil.example" )}': LOADS,
    "a{background:url('https://evil.example')}": LOADS,
    'a{background:u\\72l(https://evil.example)}': LOADS,
    'a{background:\\75\\000072 \\6C(https://evil.example)}': LOADS,
    'a{background:\\url(https://evil.example)}': LOADS,
    'a{background:url(/**/https://evil.example)}': LOADS,
    'a{background:u/**/rl(https://evil.example)}': LOADS,
    'a{background:url(data\\3a x);--b:"/*";background:url(https://evil.example);--c:"*/"}': LOADS,
    'a{background:url(': LOADS,
    '@font-face{font-family:a;src:url(https://evil.example)}': LOADS,
    'a{background:-webkit-image-set("https://evil.example" 1x)}': STRINGS,
    'a{background:src("https://evil.example")}': STRINGS,
    '@import "https://evil.example";': 'it must not have @import',
    '@IMPORT url(data:text/css,a)': 'it must not have @import',
    '@\\69mport "a"': 'it must not have @import',
    '@im/**/port "a"': 'it must not have @import',
    '</style><script>alert(1)</script>': 'it must not have <',
    '/* <script> */': 'it must not have <',
    'a{color:red}\u0000': 'it has control characters',
  }
  for (const [css, problem] of Object.entries(WRONG))
    it(`must not be ${JSON.stringify(css)}`, () =>
      expect(styleIn(css)).to.deep.equal({ _tag: 'Left', left: [problem] }))

  it('says everything that is wrong', () =>
    expect(styleIn('@import "a";<b>url(c)')).to.deep.equal({
      _tag: 'Left',
      left: ['it must not have <', 'it must not have @import', LOADS],
    }))

  it('may have data: and characters that are escaped, and gets the line ends that browsers see', () => {
    const css = '\u2014 a::before{content:"\\2014";background:url( "data:image/png;base64,AA==")}\r\nb{}\rc{}'
    expect(styleIn(css)).to.deep.equal({ _tag: 'Right', right: css.replaceAll(/\r\n?/g, '\n') })
  })
})

describe('the branding in PAGES_FOLDER', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-branding-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const read = (files: Readonly<Record<string, string | Buffer>>): Branding | ReadonlyArray<string> => {
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
    const found = pagesFolder(folder)
    return isLeft(found) ? found.left : found.right.branding
  }
  const PNG = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(65_528)])
  const SVG = '<svg xmlns="http://www.w3.org/2000/svg"/>'

  it('is none without its files', () => expect(read({})).to.deep.equal({ style: '', logo: undefined }))

  it('is a style and a logo of up to 32 and 64 KiB', () => {
    const style = 'a'.repeat(32_768)
    expect(read({ 'style.css': `\ufeff${style.slice(3)}`, 'logo.png': PNG })).to.deep.equal({
      style: style.slice(3),
      logo: `data:image/png;base64,${PNG.toString('base64')}`,
    })
  })

  it('may be an SVG', () =>
    expect(read({ 'logo.svg': SVG })).to.deep.equal({
      style: '',
      logo: `data:image/svg+xml;base64,${Buffer.from(SVG).toString('base64')}`,
    }))

  const WRONG: ReadonlyArray<
    readonly [files: Readonly<Record<string, string | Buffer>>, ...problems: ReadonlyArray<string>]
  > = [
    [{ 'style.css': 'a'.repeat(32_769) }, 'style.css: it is no readable file of at most 32 KiB'],
    [{ 'style.css': Buffer.from([0xff]) }, 'style.css: it is no UTF-8 text'],
    [{ 'style.css': 'a{b:url(//c)}' }, `style.css: ${LOADS}`],
    [{ 'logo.png': Buffer.concat([PNG, PNG]) }, 'logo.png: it is no readable file of at most 64 KiB'],
    [{ 'logo.png': 'GIF89a' }, 'logo.png: it is no such image'],
    [{ 'logo.svg': '<html>' }, 'logo.svg: it is no such image'],
    [{ 'logo.svg': Buffer.from([0xff]) }, 'logo.svg: it is no such image'],
    [{ 'logo.svg': SVG, 'logo.png': PNG }, 'logo.png and logo.svg are both there: remove one'],
    [{ 'logo.gif': '' }, 'logo.gif means nothing here'],
  ]
  for (const [files, ...problems] of WRONG)
    it(`refuses ${problems.join('; ')}`, () => expect(read(files)).to.deep.equal(problems))
})

describe('the contrast of the colors', () => {
  const OF_TEXT = 'at least 4.5 is readable.'

  it('is enough without a style of the operator', () =>
    expect(contrastProblems(BASE_STYLE)).to.deep.equal([]))

  const CASES: ReadonlyArray<readonly [css: string, ...problems: ReadonlyArray<string>]> = [
    ['a{color:#fff}/* :root{--text:#fff} */'],
    ['@media (min-width:1px){:root{--link:#fff}}main{--link:#fff}'],
    [
      ':root{--quiet:#999}',
      `--quiet on --ground has a contrast of 2.8 in the light scheme: ${OF_TEXT}`,
      `--quiet on --raised has a contrast of 2.6 in the light scheme: ${OF_TEXT}`,
    ],
    [
      '@media (prefers-color-scheme:dark){html, :root{--text:#555!important}}',
      `--text on --ground has a contrast of 2.3 in the dark scheme: ${OF_TEXT}`,
      `--text on --raised has a contrast of 2.1 in the dark scheme: ${OF_TEXT}`,
    ],
    [
      ':root{--b:"}";--edge:#ccc}@media(prefers-color-scheme: dark){:root{--edge:#8b96a1}}',
      '--edge on --ground has a contrast of 1.6 in the light scheme: at least 3 is readable.',
    ],
    [
      ':root{--on-link:white}@media (prefers-color-scheme: dark) { :root { --on-link: #14181C } }',
      '--on-link is not checked in the light scheme: write it as #rrggbb.',
    ],
  ]
  for (const [css, ...problems] of CASES)
    it(`of ${css}: ${problems[0] ?? 'is enough'}`, () =>
      expect(contrastProblems(BASE_STYLE + css)).to.deep.equal(problems))
})
