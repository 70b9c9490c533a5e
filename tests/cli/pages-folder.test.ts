import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { FOR_PAGES } from '../support/settings.ts'
import { workplace } from '../support/workplace.ts'

describe('the commands with PAGES_FOLDER', () => {
  const place = workplace()
  after(() => place.remove())
  let folders = 0
  const pagesWith = (name: string, content: string) => {
    folders += 1
    const PAGES_FOLDER = join(place.folder, `pages-${folders}`)
    mkdirSync(dirname(join(PAGES_FOLDER, name)), { recursive: true })
    writeFileSync(join(PAGES_FOLDER, name), content)
    return { ACCOUNT_PAGES: 'on', ...FOR_PAGES, PAGES_FOLDER } as Readonly<Record<string, string>>
  }

  const SCRIPT = '<script>alert(1)</script>'
  const REFUSED: ReadonlyArray<readonly [row: string, name: string, content: string, problem: string]> = [
    ['<script> in each folder file', 'style.css', `a{} ${SCRIPT}`, 'style.css: it must not have <'],
    [
      '<script> in each folder file',
      'texts/fr.json',
      JSON.stringify({ 'mail.if_you': SCRIPT }),
      'texts/fr.json: mail.if_you must not have <script',
    ],
    [
      '<script> in each folder file',
      'mail/welcome.txt',
      `Subject: Hello\n{link} ${SCRIPT}`,
      'mail/welcome.txt: it must not have <script',
    ],
    ['<script> in each folder file', 'logo.svg', SCRIPT, 'logo.svg: it is no such image'],
    ['<script> in each folder file', 'logo.png', SCRIPT, 'logo.png: it is no such image'],
    [
      'CSS with url(https://…)',
      'style.css',
      'a{background:url(https://evil.example)}',
      'style.css: url( must begin with data:',
    ],
  ]
  for (const [row, name, content, problem] of REFUSED)
    it(`${row}: 78 for ${name}`, async () => {
      const environment = pagesWith(name, content)
      for (const words of ['serve', 'doctor']) {
        const { status, err } = await place.portcullis(words, { environment })
        expect(status, words).to.equal(78)
        expect(err).to.equal(
          `These settings are wrong:\n  PAGES_FOLDER=${JSON.stringify(environment.PAGES_FOLDER)}: ${problem}\n`,
        )
      }
    })

  it('warn of colors of style.css that are hard to tell apart', async () => {
    await place.portcullis('application create --name shop')
    for (const [css, said] of [
      [':root{--quiet:#999}', 'style.css of PAGES_FOLDER: --quiet on --ground has a contrast of 2.8 in the'],
      ['a{color:red}', undefined],
    ] as const) {
      const { out } = await place.portcullis('doctor', { environment: pagesWith('style.css', css) })
      const [line = ''] = /^.*settings .*$/m.exec(out) ?? []
      if (said === undefined) expect(line).not.to.include('style.css')
      else expect(line).to.include(said)
      expect(line.slice(0, 5)).to.equal('ok   ')
    }
  })
})
