// Kratos writes N where the record needs its logarithm, and pads base64.
const recordOf = (hash) =>
  hash.replace(/^\$scrypt\$ln=(\d+)/, (_, n) => `$scrypt$ln=${Math.log2(n)}`).replace(/=+(?=\$|$)/g, '')

const totpOf = (url) => {
  const { secret, algorithm, digits = 6, period = 30 } = Object.fromEntries(new URL(url).searchParams)
  return [{ secret, algorithm, digits: Number(digits), period: Number(period) }]
}

const write = ({ id, state, credentials, verifiable_addresses: addresses, created_at }) => {
  const { identifiers, config } = credentials?.password ?? {}
  const emails = identifiers?.filter((identifier) => identifier.includes('@')) ?? []
  const isVerified = (email) => Boolean(addresses?.some(({ value, verified }) => verified && value === email))
  if (state !== 'active') return console.error(`${id}: ${state}`)
  if (!config?.hashed_password) return console.error(`${id}: no password`)
  if (emails.length === 0) return console.error(`${id}: no e-mail`)
  const email = emails.find(isVerified) ?? emails[0]
  const password_hash = recordOf(config.hashed_password)
  const app = credentials.totp?.config?.totp_url
  const totp = app ? totpOf(app) : undefined
  console.log(
    JSON.stringify({ id, email, email_verified: isVerified(email), password_hash, created_at, totp }),
  )
}

const included = 'include_credential=password&include_credential=totp'
let url = new URL(`/admin/identities?${included}&page_size=250`, process.argv[2])
while (url) {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`Kratos answered ${response.status} to ${url}`)
  for (const identity of await response.json()) write(identity)
  const [, next] = /<([^>]*)>; ?rel="next"/.exec(response.headers.get('link')) ?? []
  url = next && new URL(next, url)
}
