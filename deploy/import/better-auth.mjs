const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const base64 = (bytes) => bytes.toString('base64').replace(/=+$/, '')

// better-auth hashes with the salt as text. The records of another hash function pass unchanged.
const recordOf = (stored) => {
  const [, salt, output] = /^([0-9a-f]+):([0-9a-f]{128})$/.exec(stored) ?? []
  if (salt === undefined) return stored
  return `$scrypt$ln=14,r=16,p=1$${base64(Buffer.from(salt))}$${base64(Buffer.from(output, 'hex'))}`
}

const write = ({ id, email, password, banned, ...user }) => {
  const banExpires = user.banExpires ?? user.ban_expires
  if (banned && !(banExpires && new Date(banExpires) < new Date())) return console.error(`${id}: banned`)
  if (!password) return console.error(`${id}: no password`)
  console.log(
    JSON.stringify({
      id: UUID.test(id) ? id : undefined,
      email,
      email_verified: Boolean(user.emailVerified ?? user.email_verified),
      password_hash: recordOf(password),
      created_at: new Date(user.createdAt ?? user.created_at).toISOString(),
    }),
  )
}

let rest = ''
for await (const chunk of process.stdin.setEncoding('utf8')) {
  const lines = (rest + chunk).split('\n')
  rest = lines.pop()
  // sqlite3 writes an array, with one row per line.
  for (const line of lines) write(JSON.parse(line.replace(/^\[|[\],]$/g, '')))
}
