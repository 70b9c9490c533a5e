import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { compose, type Service } from '../../adapters/index.ts'
import { SCOPES } from '../../domain/application.ts'
import { needs } from '../faults/machine.ts'
import { sendRaw } from '../support/raw-connection.ts'
import { answersIn, requestText } from '../support/raw-text.ts'
import { scopedToken } from '../support/scoped-token.ts'
import { PUBLIC_URL, settings } from '../support/settings.ts'
import { withService } from '../support/with-service.ts'

/** The text as a browser shows it. */
const decoded = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

/** The text without Markdown characters and spaces, which differ on the page. */
const bare = (text: string): string => text.replaceAll(/[`*#\s-]/g, '')

/** All texts for readers, all names and all literal values of a document. */
const textsIn = (value: unknown, key = ''): ReadonlyArray<string> => {
  if (typeof value === 'string') return PROSE.has(key) && value !== WELL_FORMED ? [value] : []
  if (typeof value !== 'object' || value === null || key === 'license') return []
  const entries = Object.entries(value)
  // Responses of the same status are distinguished by a number, which the page does not show.
  const names = NAMED.has(key) ? entries.map(([name]) => name.replace(/^(\d{3})-\d+$/, '$1')) : []
  const examples = key === 'examples' ? entries.flatMap(([, one]) => textsInExample(one)) : []
  const inside =
    key === 'examples' ? [] : entries.flatMap(([name, one]) => textsIn(one, NAMED.has(key) ? '' : name))
  return [...names, ...examples, ...inside]
}

/** An example of a schema, or an example object with descriptions. */
const textsInExample = (example: unknown): ReadonlyArray<string> => {
  if (typeof example !== 'object' || example === null || !('value' in example))
    return [JSON.stringify(example)]
  const { value, ...words } = example
  return [typeof value === 'string' ? value : JSON.stringify(value), ...textsIn(words)]
}

const PROSE = new Set([
  'title',
  'version',
  'summary',
  'description',
  'name',
  'bearerFormat',
  'pattern',
  'format',
])
/** The page describes this pattern in words. */
const WELL_FORMED = '^[^\\uD800-\\uDFFF]*$'
const NAMED = new Set([
  'paths',
  'properties',
  'headers',
  'schemas',
  'securitySchemes',
  'responses',
  'content',
])

describe('the reference', () => {
  for (const policy of ['contract', 'nist']) {
    describe(`under PASSWORD_POLICY=${policy}`, () => {
      let service: Service
      let page: string
      let document: Readonly<Record<string, unknown>>
      before(async () => {
        service = await compose(settings({ PASSWORD_POLICY: policy }))
        page = await pageAt(await service.listen('127.0.0.1', 0))
        document = JSON.parse(service.openApi())
      })
      after(() => service.stop())

      it('contains every text and every name of the document', () => {
        const texts = textsIn(document)
        expect(texts).to.have.length.above(200)
        const shown = bare(decoded(page))
        expect(texts.filter((text) => !shown.includes(bare(text)))).to.deep.equal([])
      })

      it('contains no unprocessed Markdown', () => {
        expect(JSON.stringify(document.info)).to.match(/\*\*.*\*\*.*`/)
        const [, text = ''] = page.split('<body>')
        const prose = text.replaceAll(/<(?:pre|code)\b.*?<\/(?:pre|code)>/gs, '')
        expect(decoded(prose).match(/.*(?:\*|`|^#|\]\(|__).*/gm)).to.equal(null)
      })
    })
  }

  it('has curl commands that get one of the documented responses', async function () {
    needs(this, 'curl', ['curl', '--version'])
    await withService({}, async (running) => {
      const { port, keys, userToken } = running
      const lines = [...(await pageAt(port)).matchAll(LINE_AND_ANSWERS)]
      expect(lines).to.have.length.above(10)
      for (const [, line = '', answers = ''] of lines) {
        const command = decoded(line).replaceAll(PUBLIC_URL, `http://127.0.0.1:${port}`)
        const ofUsers = /\/profile|-X DELETE/.test(command)
        const status = await statusOf(command, {
          TOKEN: await (ofUsers ? userToken() : scopedToken(running, SCOPES.join(' '))),
          PUBLIC_API_KEY: keys.public_api_key,
          PRIVATE_API_KEY: keys.private_api_key,
        })
        const named = [...answers.matchAll(/class="status s\d">(\d+)</g)].map(([, one]) => Number(one))
        expect(named, command).to.include(status)
        if (command.includes('/api/v1/log/')) continue // the log may have no checkpoint yet
        expect([200, 201, 422], command).to.include(status) // the examples do not know the passwords
      }
    })
  })
})

const LINE_AND_ANSWERS = /<pre class="curl"><code>(.*?)<\/code>(.*?)<\/div>\n<\/details>/gs

const pageAt = async (port: number): Promise<string> => {
  const [answer] = answersIn(await sendRaw(port, requestText('GET', '/docs')))
  return Buffer.from(answer?.body ?? '', 'latin1').toString()
}

/** @param environment of the commands */
const statusOf = async (lines: string, environment: Readonly<Record<string, string>>): Promise<number> => {
  const asked = `curl() { command curl -o /dev/null -w '%{http_code}' "$@"; }\n${lines}`
  const env = { PATH: process.env.PATH, ...environment }
  const { stdout } = await promisify(execFile)('sh', ['-c', asked], { env })
  return Number(stdout)
}
