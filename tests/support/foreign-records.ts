import { pbkdf2Sync, randomBytes, scryptSync } from 'node:crypto'
import { hash as argon2 } from '@node-rs/argon2'
import { hash as bcrypt } from '@node-rs/bcrypt'
import type { HashedPassword } from '../../domain/user.ts'

/** A cheap record of the password in every supported format of other systems. */
export const foreignRecords = async (password: string): Promise<ReadonlyArray<HashedPassword>> => [
  ...(await Promise.all(
    (['2a', '2b', '2y'] as const).map(async (version) => ({
      record: (await bcrypt(password, 4)).replace('$2b$', `$${version}$`), // three names of one algorithm
      scheme: 'bcrypt:4',
    })),
  )),
  ...(await Promise.all(
    ['argon2d', 'argon2i', 'argon2id'].map(async (name, algorithm) => ({
      record: await argon2(password, { algorithm, memoryCost: 64, timeCost: 2, parallelism: 2 }),
      scheme: `${name}:m=64,t=2,p=2`,
    })),
  )),
  scryptRecord(password),
  ...(['sha1', 'sha256', 'sha512'] as const).map((digest) => pbkdf2(password, digest)),
]

export const scryptRecord = (password: string): HashedPassword => {
  const salt = randomBytes(16)
  const output = scryptSync(password, salt, 32, { N: 16, r: 2, p: 1 })
  return { record: `$scrypt$ln=4,r=2,p=1$${base64(salt)}$${base64(output)}`, scheme: 'scrypt:4,2,1' }
}

const pbkdf2 = (password: string, digest: 'sha1' | 'sha256' | 'sha512'): HashedPassword => {
  const salt = randomBytes(16)
  const output = pbkdf2Sync(password, salt, 10, 20, digest)
  return {
    record: `$pbkdf2-${digest}$i=10,l=20$${base64(salt)}$${base64(output)}`,
    scheme: `pbkdf2-${digest}:10`,
  }
}

const base64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')
