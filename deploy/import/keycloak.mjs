const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const DIGEST_BYTES = { pbkdf2: 20, 'pbkdf2-sha256': 32, 'pbkdf2-sha512': 64 }
const bare = (base64) => base64.replace(/=+$/, '')

const recordOf = ({ secretData, credentialData }) => {
  const { value, salt } = JSON.parse(secretData)
  const { algorithm, hashIterations, additionalParameters: more } = JSON.parse(credentialData)
  if (algorithm === 'argon2') {
    const version = { '1.0': 16, 1.3: 19 }[more.version[0]]
    const cost = `m=${more.memory[0]},t=${hashIterations},p=${more.parallelism[0]}`
    return `$argon2${more.type[0]}$v=${version}$${cost}$${bare(salt)}$${bare(value)}`
  }
  // PBKDF2 computes each digest of its output on its own. The first one is enough, and takes less time.
  const digest = Buffer.from(value, 'base64').subarray(0, DIGEST_BYTES[algorithm])
  return `$${algorithm}$i=${hashIterations}$${bare(salt)}$${bare(digest.toString('base64'))}`
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const base32 = (text) =>
  [...Buffer.from(text)]
    .map((byte) => byte.toString(2).padStart(8, '0'))
    .join('')
    .replace(/.{1,5}/g, (bits) => ALPHABET[Number.parseInt(bits.padEnd(5, '0'), 2)])

// Keycloak keeps a secret as text, unless it has another encoding. HOTP becomes a bad line.
const appOf = ({ secretData, credentialData, userLabel }) => {
  const { value } = JSON.parse(secretData)
  const { subType, digits, period, algorithm, secretEncoding } = JSON.parse(credentialData)
  const secret = secretEncoding === 'BASE32' ? value : base32(value)
  return { secret, name: userLabel, digits, period, algorithm: subType === 'totp' ? algorithm : subType }
}

const write = ({ id, email, emailVerified, enabled, createdTimestamp, requiredActions, credentials }) => {
  const password = credentials?.find(({ type }) => type === 'password')
  if (!enabled) return console.error(`${id}: disabled`)
  if (!password) return console.error(`${id}: no password`)
  if (!email) return console.error(`${id}: no e-mail`)
  if (requiredActions?.includes('UPDATE_PASSWORD')) return console.error(`${id}: must change the password`)
  console.log(
    JSON.stringify({
      id: UUID.test(id) ? id : undefined,
      email,
      email_verified: emailVerified,
      password_hash: recordOf(password),
      created_at: createdTimestamp ? new Date(createdTimestamp).toISOString() : undefined,
      totp: credentials.filter(({ type }) => type === 'otp').map(appOf),
    }),
  )
}

let rest = ''
for await (const chunk of process.stdin.setEncoding('utf8')) {
  const lines = (rest + chunk).split('\n')
  rest = lines.pop()
  for (const line of lines) write(JSON.parse(line))
}
