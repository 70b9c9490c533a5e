import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../architecture/root.ts'
import { codeIn, partOf } from './page.ts'

export const PAGE = readFileSync(join(ROOT, 'docs/client.md'), 'utf8')
const [, linked = ''] = /\((\.\.\/tests\/examples\/client\/.*\.mjs)\)/.exec(PAGE) ?? []
const FIRST = join('docs', linked)
export const COOKIES = readFileSync(join(ROOT, 'docs/cookies.md'), 'utf8')
const passkeys = readFileSync(join(ROOT, 'docs/passkeys.md'), 'utf8')

/** A program of the page: a block as it stands there, with what the text around it takes for granted. */
export type Program = Readonly<{ before: string; block: string; after: string }>

const [opening = ''] = codeIn(PAGE.slice(0, PAGE.indexOf('\n## ')), 'js')
const blocksBelow = (heading: string) => codeIn(partOf(PAGE, heading), 'js')
const blockBelow = (heading: string): string => blocksBelow(heading)[0] ?? ''
const [following = '', nightly = ''] = blocksBelow('## Follow events')
const [verifying = '', inGateway = ''] = blocksBelow('## Verify a user token')
const [withCode = '', withPasskey = ''] = blocksBelow('## The second factor')
const [, inTests = ''] = codeIn(partOf(passkeys, '## In the browser'), 'js')

const CLIENT = `import { portcullis } from 'portcullis-client'
const { env } = process
const auth = portcullis({
  url: env.PORTCULLIS_URL ?? '',
  publicApiKey: env.PUBLIC_API_KEY ?? '',
  privateApiKey: env.PRIVATE_API_KEY ?? '',
  issuer: env.ISSUER ?? '',
})
const { EMAIL: email, PASSWORD: password, TOKEN: token = '' } = env
`

/** Needs a user with an authenticator app, who enrols a passkey first. */
const WITH_PASSKEY = `${CLIENT}${inTests}
const user = auth.user(token)
const enrolment = await user.startPasskeyEnrolment()
if (!enrolment.ok) throw new Error(JSON.stringify(enrolment))
const enrolled = await user.completePasskeyEnrolment({ credential: await create(enrolment.options) })
if (!enrolled.ok) throw new Error(JSON.stringify(enrolled))
const first = await auth.signIn({ email, password })
if (first.ok || first.refusal !== 'second_factor') throw new Error('no second factor is due')
await (async (token) => {
`

/** Follows the feed with a cursor in memory. Its first cursor has ended. */
const FOLLOWING = `${CLIENT}
const seen = []
let cursor = env.CURSOR
let discarded = 0
const loadCursor = async () => cursor
const discardEverything = async () => {
  cursor = undefined
  discarded += 1
}
const onUnavailable = (error) => console.error(error)
const saveEffect = async (entry, next) => {
  cursor = next
  seen.push(entry.type)
  if (seen.length < Number(env.EVENTS)) return
  console.log(JSON.stringify({ seen, cursor, discarded }))
  process.exit()
}
`

/** One night, in which the cursor is in memory. */
const NIGHTLY = `${CLIENT}
let cursor = env.CURSOR
const deleted = []
const loadCursor = async () => cursor
const saveCursor = async (next) => {
  cursor = next
}
const deleteDataOf = async (subject) => void deleted.push(subject)
`

/** The programs by what they show. Those without `before` are whole programs. */
export const PROGRAMS = {
  opening: { before: CLIENT, block: opening, after: '' },
  first: { before: '', block: readFileSync(join(ROOT, FIRST), 'utf8'), after: '' },
  options: { before: CLIENT, block: blockBelow('## Options'), after: 'console.log(registered.ok)' },
  results: {
    before: CLIENT,
    block: blockBelow('## Results'),
    after: `const user = auth.user(token)
const fields = { oldPassword: 'wrong', newPassword: '', newPasswordCheck: 'x' }
console.log(textFor(await user.changePassword(fields)))
console.log(textFor(await auth.user('no token').changePassword(fields)))
console.log(textFor(await user.changePassword({ oldPassword: password, newPassword: password, newPasswordCheck: password })))`,
  },
  errors: {
    before: CLIENT,
    block: blockBelow('## Errors'),
    after: `const away = portcullis({ url: env.AWAY ?? '', publicApiKey: 'pk_x', privateApiKey: 'sk_x', timeout: 100 })
console.log(failureOf(await away.user('v4.public.x').getProfile().catch((error) => error)).text)
console.log(failureOf(await away.user('v4.public.x').signOut().catch((error) => error)).text)
const wrong = portcullis({ url: env.PORTCULLIS_URL ?? '', publicApiKey: 'pk_x', privateApiKey: 'sk_x' })
const refused = await wrong.signIn({ email, password }).catch((error) => error)
try {
  failureOf(refused)
} catch {
  console.log(refused.name)
}`,
  },
  code: {
    before: CLIENT,
    block: withCode,
    after: `const ask = async (methods) => {
  console.log(methods.join())
  return { recoveryCode: env.RECOVERY_CODE }
}
console.log((await signIn(email, 'wrong', ask)).ok, (await signIn(email, password, ask)).ok)`,
  },
  passkey: {
    before: WITH_PASSKEY,
    block: withPasskey,
    after: '})(first.secondFactor.token)',
  },
  users: { before: CLIENT, block: blockBelow('## List users'), after: '' },
  events: { before: FOLLOWING, block: following, after: '' },
  nightly: { before: NIGHTLY, block: nightly, after: 'console.log(JSON.stringify({ deleted, cursor }))' },
  verify: { before: CLIENT, block: verifying, after: '' },
  gateway: { before: "const { TOKEN: token = '' } = process.env\n", block: inGateway, after: '' },
  cookies: {
    before: `import { createServer } from 'node:http'\n${CLIENT}`,
    block: codeIn(COOKIES, 'js')[0] ?? '',
    after: `const server = createServer(async (request, response) => {
  if (request.url === '/sign_in') response.end(String((await signIn(response, email, password, true)).ok))
  else response.end(String((await profileOf(request, response))?.email))
})
server.listen(0, async () => {
  const url = \`http://127.0.0.1:\${Object(server.address()).port}\`
  const guest = await fetch(url)
  const signedIn = await fetch(\`\${url}/sign_in\`)
  const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const home = await fetch(url, { headers: { cookie } })
  console.log(await guest.text(), await signedIn.text(), await home.text(), home.headers.getSetCookie().length)
  server.closeAllConnections()
  server.close()
})`,
  },
} satisfies Readonly<Record<string, Program>>
