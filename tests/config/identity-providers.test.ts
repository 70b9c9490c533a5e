import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { isLeft, right } from 'fp-ts/lib/Either.js'
import { identityProvidersIn } from '../../adapters/config/identity-providers.ts'

const SECRET = 'GOCSPX-this-is-secret'
const GOOGLE = {
  name: 'google',
  issuer: 'https://accounts.google.com',
  client_id: '1.apps.googleusercontent.com',
  client_secret: SECRET,
  trusts_email: 'gmail-and-hd',
}
const GITHUB = { name: 'github', kind: 'github', client_id: 'Iv1.1', client_secret: SECRET }
const { trusts_email: _, ...PLAIN } = { ...GOOGLE, name: 'idp', issuer: 'https://idp.example.com/realms/a' }
const { issuer: __, ...WITHOUT_ISSUER } = GOOGLE

const READ_GOOGLE = {
  ...{ kind: 'openid', name: 'google', label: 'Google', issuer: 'https://accounts.google.com' },
  ...{ clientId: '1.apps.googleusercontent.com', clientSecret: SECRET, trustsEmail: 'gmail-and-hd' },
}
const READ_GITHUB = {
  ...{ kind: 'github', name: 'github', label: 'GitHub', issuer: 'https://github.com' },
  ...{ clientId: 'Iv1.1', clientSecret: SECRET },
}

describe('the file of identity providers', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-'))
  after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'identity-providers.json')

  const write = (content: unknown, mode = 0o600): void => {
    rmSync(file, { force: true, recursive: true })
    writeFileSync(
      file,
      Buffer.isBuffer(content) || typeof content === 'string' ? content : JSON.stringify(content),
    )
    chmodSync(file, mode)
  }

  /** What is wrong, without the name of the file. */
  const problems = (): ReadonlyArray<string> => {
    const read = identityProvidersIn(file)
    const start = `IDENTITY_PROVIDERS_FILE=${JSON.stringify(file)}: `
    return isLeft(read)
      ? read.left.map((text) => (text.startsWith(start) ? text.slice(start.length) : `? ${text}`))
      : []
  }

  it('is read', () => {
    write([GOOGLE, GITHUB])
    expect(identityProvidersIn(file)).to.deep.equal(right([READ_GOOGLE, READ_GITHUB]))
  })

  const ACCEPTED: ReadonlyArray<readonly [what: string, given: object, read: object]> = [
    ['no trust in e-mails', PLAIN, { trustsEmail: false, label: 'idp' }],
    ['the same in words', { ...PLAIN, trusts_email: false }, { trustsEmail: false }],
    ['the kind openid', { ...PLAIN, kind: 'openid' }, { kind: 'openid' }],
    ['a label', { ...PLAIN, label: 'Müller & Söhne' }, { label: 'Müller & Söhne' }],
    ['the name microsoft', { ...PLAIN, name: 'microsoft' }, { label: 'Microsoft' }],
    [
      'an issuer that ends with a slash',
      { ...PLAIN, issuer: 'https://a.auth0.com/' },
      { issuer: 'https://a.auth0.com/' },
    ],
    [
      'an issuer on this machine',
      { ...PLAIN, issuer: 'http://127.0.0.1:8081' },
      { issuer: 'http://127.0.0.1:8081' },
    ],
    [
      'xms_edov with one tenant',
      { ...PLAIN, issuer: 'https://login.microsoftonline.com/9f4a7c1e/v2.0', trusts_email: 'xms_edov' },
      { trustsEmail: 'xms_edov' },
    ],
    [
      'an issuer of all tenants without trust',
      { ...PLAIN, issuer: 'https://login.microsoftonline.com/common/v2.0' },
      { trustsEmail: false },
    ],
    [
      'GitHub Enterprise',
      { ...GITHUB, base_url: 'https://git.example.com' },
      { issuer: 'https://git.example.com' },
    ],
  ]
  for (const [what, given, read] of ACCEPTED)
    it(`may have ${what}`, () => {
      write([given])
      const found = identityProvidersIn(file)
      expect(isLeft(found) ? found.left : found.right[0]).to.include(read)
    })

  const URL_RULE =
    'must be an https URL without user, query and fragment, as the provider writes it. http is for a loopback address only'
  const REFUSED: ReadonlyArray<readonly [what: string, given: object, ...sentences: ReadonlyArray<string>]> =
    [
      [
        'no name',
        { ...PLAIN, name: undefined },
        '.name must be 1 to 32 of a-z 0-9 -, not beginning with -, it is missing',
      ],
      [
        'a name in capitals',
        { ...PLAIN, name: 'Idp' },
        '.name must be 1 to 32 of a-z 0-9 -, not beginning with -, got "Idp"',
      ],
      ['no issuer', WITHOUT_ISSUER, `.issuer ${URL_RULE}, it is missing`],
      ...[
        'accounts.google.com',
        'http://idp.example.com',
        'https://idp.example.com?a',
        'https://idp.example.com#a',
        'https://ada@idp.example.com',
        'https://IDP.example.com',
        'https://idp.example.com/a/../b',
      ].map((issuer): readonly [string, object, string] => [
        `the issuer ${issuer}`,
        { ...PLAIN, issuer },
        `.issuer ${URL_RULE}, got ${JSON.stringify(issuer.replace(/^.*@/, '***@').replace(/\?.*/, '?***'))}`,
      ]),
      [
        'no client id',
        { ...PLAIN, client_id: '' },
        '.client_id must be 1 to 1,024 printable ASCII characters, got ""',
      ],
      [
        'a secret that is no text',
        { ...PLAIN, client_secret: [SECRET] },
        '.client_secret must be 1 to 1,024 printable ASCII characters, its value is not shown',
      ],
      [
        'a secret of two lines',
        { ...PLAIN, client_secret: `${SECRET}\n` },
        '.client_secret must be 1 to 1,024 printable ASCII characters, its value is not shown',
      ],
      [
        'another trust',
        { ...PLAIN, trusts_email: true },
        '.trusts_email must be false, "email_verified", "gmail-and-hd" or "xms_edov", got boolean',
      ],
      ...['common', 'organizations', 'consumers', 'Common'].map(
        (tenant): readonly [string, object, string] => [
          `xms_edov with the tenant ${tenant}`,
          { ...PLAIN, issuer: `https://login.microsoftonline.com/${tenant}/v2.0`, trusts_email: 'xms_edov' },
          '.trusts_email must not be "xms_edov" with an issuer of all tenants: each could name any e-mail. Use the issuer of one tenant',
        ],
      ),
      ['another kind', { ...PLAIN, kind: 'saml' }, '.kind must be "openid" or "github", or absent'],
      [
        'an unknown member',
        { ...PLAIN, clientSecret: SECRET },
        '."clientSecret" is no member of a provider of the kind openid: name, label, client_id, client_secret, issuer, trusts_email',
      ],
      [
        'an issuer of GitHub',
        { ...GITHUB, issuer: 'https://github.com' },
        '.issuer is no member of a provider of the kind github: name, label, client_id, client_secret, base_url',
      ],
      [
        'a base URL with a path',
        { ...GITHUB, base_url: 'https://git.example.com/api' },
        '.base_url must be the https origin of GitHub Enterprise without a final slash, or absent, got "https://git.example.com/api"',
      ],
      ['a text', 'google' as unknown as object, ' must be an object'],
      [
        'two things',
        { ...PLAIN, name: '-', label: ' a' },
        '.name must be 1 to 32 of a-z 0-9 -, not beginning with -, got "-"',
        '.label must be 1 to 60 printable characters without spaces at the ends, or absent, got " a"',
      ],
    ]
  for (const [what, given, ...sentences] of REFUSED)
    it(`is refused with ${what}, at its place, without the secret`, () => {
      write([GOOGLE, given])
      expect(problems()).to.deep.equal(sentences.map((sentence) => `[1]${sentence}`))
      expect(problems().join()).not.to.include(SECRET)
    })

  it('is refused if a name occurs twice', () => {
    write([GOOGLE, GITHUB, { ...PLAIN, name: 'google' }])
    expect(problems()).to.deep.equal(['the name google occurs twice'])
  })

  const LIST = 'it must be an array of 1 to 20 providers'
  for (const [what, content, sentence] of [
    ['no JSON', `[{"client_secret":"${SECRET}"`, 'it is no JSON'],
    ['empty', '', 'it is no JSON'],
    ['an object', GOOGLE, LIST],
    ['an empty array', [], LIST],
    ['21 providers', Array.from({ length: 21 }, (_, at) => ({ ...PLAIN, name: `idp-${at}` })), LIST],
    ['UTF-16', Buffer.from(JSON.stringify([GOOGLE]), 'utf16le'), undefined],
    ['too large', `[${' '.repeat(70_000)}]`, 'it is no UTF-8 text of at most 64 KiB'],
  ] as const)
    it(`is refused if it is ${what}`, () => {
      write(content)
      expect(problems()).to.have.lengthOf(1)
      if (sentence !== undefined) expect(problems()).to.deep.equal([sentence])
    })

  it('may have 20 providers', () => {
    write(Array.from({ length: 20 }, (_, at) => ({ ...PLAIN, name: `idp-${at}` })))
    expect(problems()).to.deep.equal([])
  })

  for (const mode of [0o600, 0o640, 0o400, 0o440])
    it(`may have the mode ${mode.toString(8)}`, () => {
      write([GOOGLE], mode)
      expect(problems()).to.deep.equal([])
    })

  for (const mode of [0o644, 0o604, 0o660, 0o602, 0o601, 0o755])
    it(`is refused with the mode ${mode.toString(8)}`, () => {
      write([GOOGLE], mode)
      expect(problems()).to.deep.equal([
        'others may read or write it. Run chmod 600 on it, or 640 for its group',
      ])
    })

  it('may be a link, whose target counts', () => {
    write([GOOGLE], 0o644)
    const link = join(folder, 'link.json')
    symlinkSync(file, link)
    expect(identityProvidersIn(link)).to.have.property('_tag', 'Left')
    chmodSync(file, 0o640)
    expect(identityProvidersIn(link)).to.have.property('_tag', 'Right')
  })

  it('is refused if it is missing, or a folder', () => {
    rmSync(file, { force: true })
    expect(problems()).to.deep.equal(['it cannot be read (ENOENT)'])
    mkdirSync(file)
    expect(problems()).to.deep.equal(['it is no file'])
  })
})
