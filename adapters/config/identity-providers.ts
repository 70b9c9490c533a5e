import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { isPrintable } from '../../domain/name.ts'
import { textIn } from './files/text-file.ts'
import { quoted } from './setting.ts'
import { isLoopback } from './setting-rules.ts'

/** A provider in the file of `IDENTITY_PROVIDERS_FILE`, with its client secret. */
export type IdentityProviderSettings = Readonly<{
  name: string
  label: string
  issuer: string
  clientId: string
  clientSecret: string
}> &
  Readonly<
    | { kind: 'openid'; trustsEmail: false | 'email_verified' | 'gmail-and-hd' | 'xms_edov' }
    | { kind: 'github' }
  >

type Read<A> = E.Either<ReadonlyArray<string>, A>

/** The providers that a file lists, or one sentence for each thing that is wrong with it. No sentence shows a secret. */
export const identityProvidersIn = (file: string): Read<ReadonlyArray<IdentityProviderSettings>> =>
  E.mapLeft((problems: ReadonlyArray<string>) =>
    problems.map((problem) => `IDENTITY_PROVIDERS_FILE=${quoted(file)}: ${problem}`),
  )(E.chain(providersOf)(privateTextOf(file)))

/** Others may not read client secrets. A group may, because containers run under other user ids. */
const privateTextOf = (file: string): Read<string> => {
  try {
    const opened = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const about = fstatSync(opened)
      if (!about.isFile()) return E.left(['it is no file'])
      if ((about.mode & 0o137) !== 0)
        return E.left(['others may read or write it. Run chmod 600 on it, or 640 for its group'])
      const text = about.size > MAX_BYTES ? undefined : textIn(readFileSync(opened))
      return text === undefined ? E.left(['it is no UTF-8 text of at most 64 KiB']) : E.right(text)
    } finally {
      closeSync(opened)
    }
  } catch (error) {
    return E.left([`it cannot be read (${Object(error).code})`])
  }
}

const MAX_BYTES = 65_536
const MAX_PROVIDERS = 20

const providersOf = (text: string): Read<ReadonlyArray<IdentityProviderSettings>> => {
  const listed = E.tryCatch<unknown, unknown>(
    () => JSON.parse(text),
    () => undefined,
  )
  if (E.isLeft(listed)) return E.left(['it is no JSON'])
  if (!Array.isArray(listed.right) || listed.right.length === 0 || listed.right.length > MAX_PROVIDERS)
    return E.left([`it must be an array of 1 to ${MAX_PROVIDERS} providers`])
  const read = listed.right.map((one, at) => E.mapLeft(inPlace(`[${at}]`))(providerOf(one)))
  const wrong = read.flatMap((one) => (E.isLeft(one) ? one.left : []))
  const providers = read.flatMap((one) => (E.isRight(one) ? [one.right] : []))
  const repeated = providers.flatMap(({ name }, at) =>
    providers.findIndex((other) => other.name === name) < at ? [`the name ${name} occurs twice`] : [],
  )
  return wrong.length + repeated.length > 0 ? E.left([...wrong, ...repeated]) : E.right(providers)
}

/** Each problem begins with the rest of its place. */
const inPlace = (place: string) => (problems: ReadonlyArray<string>) =>
  problems.map((problem) => `${place}${problem}`)

const providerOf = (value: unknown): Read<IdentityProviderSettings> => {
  if (!t.UnknownRecord.is(value)) return E.left([' must be an object'])
  const kind = value.kind ?? 'openid'
  if (kind !== 'openid' && kind !== 'github') return E.left(['.kind must be "openid" or "github", or absent'])
  const members: Readonly<Record<string, Member>> = kind === 'github' ? GITHUB_MEMBERS : OPENID_MEMBERS
  const unknown = Object.keys(value)
    .filter((name) => name !== 'kind' && !Object.hasOwn(members, name))
    .map(
      (name) =>
        `.${shown(name)} is no member of a provider of the kind ${kind}: ${Object.keys(members).join(', ')}`,
    )
  const wrong = Object.entries(members).flatMap(([name, { codec, rule, isSecret }]) => {
    const { [name]: given } = value
    if (E.isRight(codec.decode(given))) return []
    const got =
      given === undefined ? 'it is missing' : isSecret ? 'its value is not shown' : `got ${text(given)}`
    return [`.${name} must be ${rule}, ${got}`]
  })
  if (unknown.length + wrong.length > 0) return E.left([...unknown, ...wrong])
  return kind === 'github' ? E.right(gitHubOf(value as GitHub)) : openIdOf(value as OpenId)
}

/** Members of files are shown as JSON, shortened. Long words, which may be secrets, are hidden. */
const text = (value: unknown): string => (typeof value === 'string' ? quoted(value) : typeof value)
const shown = (name: string): string => (/^[a-z_]{1,30}$/.test(name) ? name : quoted(name))

type Member = Readonly<{ codec: t.Mixed; rule: string; isSecret?: boolean }>

const matching = (name: string, matches: (text: string) => boolean) => t.refinement(t.string, matches, name)
const optional = <C extends t.Mixed>(codec: C) => t.union([codec, t.undefined])

const Url = matching('Url', (given) => {
  const { protocol, hostname, href } = URL.parse(given) ?? { protocol: '', hostname: '', href: '' }
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
  return isSafe && given.length <= 512 && [given, `${given}/`].includes(href) && !/[?#@\s]/.test(given)
})

/** RFC 6749, appendix A.1. */
const Credential = matching('Credential', (given) => /^[ -~]{1,1024}$/.test(given))

const COMMON_MEMBERS = {
  name: {
    codec: matching('Name', (given) => /^[a-z0-9][a-z0-9-]{0,31}$/.test(given)),
    rule: '1 to 32 of a-z 0-9 -, not beginning with -',
  },
  label: {
    codec: optional(matching('Label', (given) => isPrintable(given, 60) && given === given.trim())),
    rule: '1 to 60 printable characters without spaces at the ends, or absent',
  },
  client_id: { codec: Credential, rule: '1 to 1,024 printable ASCII characters' },
  client_secret: { codec: Credential, rule: '1 to 1,024 printable ASCII characters', isSecret: true },
}

const URL_RULE =
  'an https URL without user, query and fragment, as the provider writes it. http is for a loopback address only'

const OPENID_MEMBERS = {
  ...COMMON_MEMBERS,
  issuer: { codec: Url, rule: URL_RULE },
  trusts_email: {
    codec: t.union([
      t.literal(false),
      t.literal('email_verified'),
      t.literal('gmail-and-hd'),
      t.literal('xms_edov'),
      t.undefined,
    ]),
    rule: 'false, "email_verified", "gmail-and-hd" or "xms_edov"',
  },
}

const GITHUB_MEMBERS = {
  ...COMMON_MEMBERS,
  base_url: {
    codec: optional(t.refinement(Url, (given) => URL.parse(given)?.origin === given, 'Origin')),
    rule: 'the https origin of GitHub Enterprise without a final slash, or absent',
  },
}

type Members<Table extends Readonly<Record<string, Member>>> = {
  readonly [Name in keyof Table]: t.TypeOf<Table[Name]['codec']>
}
type OpenId = Members<typeof OPENID_MEMBERS>
type GitHub = Members<typeof GITHUB_MEMBERS>

const gitHubOf = ({ base_url = 'https://github.com', ...given }: GitHub): IdentityProviderSettings => ({
  ...commonOf(given),
  kind: 'github',
  issuer: base_url,
})

const openIdOf = ({
  issuer,
  trusts_email: trustsEmail = false,
  ...given
}: OpenId): Read<IdentityProviderSettings> =>
  trustsEmail === 'xms_edov' && ANY_TENANT.test(issuer)
    ? E.left([
        '.trusts_email must not be "xms_edov" with an issuer of all tenants: each could name any e-mail. Use the issuer of one tenant',
      ])
    : E.right({ ...commonOf(given), kind: 'openid', issuer, trustsEmail })

/** Entra has them in the place of a tenant. */
const ANY_TENANT = /\/(?:common|organizations|consumers)(?:\/|$)/i

const commonOf = ({ name, label, client_id, client_secret }: Members<typeof COMMON_MEMBERS>) => ({
  name,
  label: label ?? LABELS.get(name) ?? name,
  clientId: client_id,
  clientSecret: client_secret,
})

const LABELS: ReadonlyMap<string, string> = new Map([
  ['google', 'Google'],
  ['github', 'GitHub'],
  ['microsoft', 'Microsoft'],
])
