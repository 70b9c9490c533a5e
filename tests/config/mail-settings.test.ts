import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import type { MailSettings, Sender } from '../../adapters/config/mail-settings.ts'
import { type Environment, type Settings, settingsFrom } from '../../adapters/config/settings.ts'

const NEEDED: Environment = {
  PUBLIC_URL: 'https://auth.example.com',
  MAIL_URL: 'smtps://mail.example.com',
  MAIL_FROM: 'noreply@example.com',
  MAIL_CONTACT: 'help@example.com',
}

const mailOf = (changed: Environment): Settings['mail'] => {
  const read = settingsFrom({ ...NEEDED, ...changed })
  if (read._tag === 'Left') throw new Error(read.left.join('; '))
  return read.right.mail
}

const relayOf = (url: string): MailSettings['relay'] | undefined => mailOf({ MAIL_URL: url })?.relay
const refusedFor = (changed: Environment) => settingsFrom({ ...NEEDED, ...changed })

describe('the settings of mails', () => {
  it('have these defaults', () => {
    expect(mailOf({})).to.deep.equal({
      relay: { host: 'mail.example.com', port: 465, tls: 'implicit', credentials: undefined },
      from: { name: undefined, address: 'noreply@example.com' },
      name: 'Portcullis',
      contact: 'help@example.com',
      extra: [],
      connections: 4,
    })
  })

  const URLS: ReadonlyArray<readonly [url: string, relay: MailSettings['relay']]> = [
    ['smtps://h.example', { host: 'h.example', port: 465, tls: 'implicit', credentials: undefined }],
    ['smtps://h.example:2465', { host: 'h.example', port: 2465, tls: 'implicit', credentials: undefined }],
    ['smtps://localhost', { host: 'localhost', port: 465, tls: 'implicit', credentials: undefined }],
    ['smtp://h.example', { host: 'h.example', port: 587, tls: 'starttls', credentials: undefined }],
    ['smtp://192.0.2.1', { host: '192.0.2.1', port: 587, tls: 'starttls', credentials: undefined }],
    ['smtp://[2001:db8::1]:25', { host: '2001:db8::1', port: 25, tls: 'starttls', credentials: undefined }],
    ['smtp://mail_in', { host: 'mail_in', port: 587, tls: 'starttls', credentials: undefined }],
    [
      'smtp://bücher.example',
      { host: 'xn--bcher-kva.example', port: 587, tls: 'starttls', credentials: undefined },
    ],
    ['smtp://localhost:1025', { host: 'localhost', port: 1025, tls: 'offered', credentials: undefined }],
    ['smtp://LOCALHOST', { host: 'LOCALHOST', port: 587, tls: 'offered', credentials: undefined }],
    ['smtp://127.0.0.1:25', { host: '127.0.0.1', port: 25, tls: 'offered', credentials: undefined }],
    ['smtp://127.255.0.9', { host: '127.255.0.9', port: 587, tls: 'offered', credentials: undefined }],
    ['smtp://[::1]:25', { host: '::1', port: 25, tls: 'offered', credentials: undefined }],
    // These only look like this machine.
    [
      'smtp://localhost.example',
      { host: 'localhost.example', port: 587, tls: 'starttls', credentials: undefined },
    ],
    [
      'smtp://[::ffff:127.0.0.1]',
      { host: '::ffff:127.0.0.1', port: 587, tls: 'starttls', credentials: undefined },
    ],
    ['smtp://127.example', { host: '127.example', port: 587, tls: 'starttls', credentials: undefined }],
    [
      'smtps://ada%40example.com:p%3A%2F%20%25w%C3%B6rt@h.example',
      {
        host: 'h.example',
        port: 465,
        tls: 'implicit',
        credentials: { user: 'ada@example.com', password: 'p:/ %wört' },
      },
    ],
  ]
  for (const [url, relay] of URLS)
    it(`accept MAIL_URL=${url}`, () => expect(relayOf(url)).to.deep.equal(relay))

  const SECRET = 'hunter2'
  const WRONG_URLS = [
    'mail.example.com',
    'SMTPS://h.example',
    'https://h.example',
    'smtps:h.example',
    'smtps://',
    'smtps://h.example/',
    'smtps://h.example/path',
    'smtps://h.example?tls.rejectUnauthorized=false',
    'smtps://h.example:465?tls.rejectUnauthorized=false',
    'smtps://h?tls.rejectUnauthorized=false',
    'smtps://h.example#x',
    'smtps://h.example:0',
    'smtps://h.example:65536',
    'smtps://h.example:',
    'smtps://h.example:25,o.example:25',
    'smtps://h example',
    'smtps://h.example\n',
    ' smtps://h.example',
    'smtps://.example',
    'smtps://h..example',
    'smtps://999.1.1.1',
    'smtps://0x7f.1',
    'smtps://127.1',
    'smtps://[h.example]',
    'smtps://::1',
    `smtps://ada:${SECRET}@h.example/`,
    `smtps://ada:${SECRET}@@h.example`,
    `smtps://ada:${SECRET}:x@h.example`,
    `smtps://ada:${SECRET}%@h.example`,
    `smtps://ada:${SECRET}%0d%0aQUIT@h.example`,
    `smtps://ada:${SECRET}%00@h.example`,
    `smtps://ada:${SECRET}/@h.example`,
    `smtps://ada%ff:${SECRET}@h.example`,
    `smtps://${SECRET}@h.example`,
    `smtps://:${SECRET}@h.example`,
    'smtps://ada:@h.example',
  ]
  for (const url of WRONG_URLS)
    it(`refuse MAIL_URL=${JSON.stringify(url)}, and do not show it`, () => {
      const refused = refusedFor({ MAIL_URL: url })
      const said = refused._tag === 'Left' ? refused.left : []
      expect(said).to.have.lengthOf(1)
      expect(said[0]).to.match(/^MAIL_URL must be smtps:\/\/USER:PASSWORD@HOST:465 or /)
      expect(said[0]).not.to.include(SECRET)
      expect(said[0]).not.to.include('h.example')
    })

  const SENDERS: ReadonlyArray<readonly [text: string, sender: Sender]> = [
    ['a@b.example', { name: undefined, address: 'a@b.example' }],
    ['<a@b.example>', { name: undefined, address: 'a@b.example' }],
    ['Otter <a@b.example>', { name: 'Otter', address: 'a@b.example' }],
    ['"Otter, Inc." <a@b.example>', { name: 'Otter, Inc.', address: 'a@b.example' }],
    [
      'Otter & Söhne “GmbH” <a@bücher.example>',
      { name: 'Otter & Söhne “GmbH”', address: 'a@xn--bcher-kva.example' },
    ],
    [`${'n'.repeat(100)} <a@b.example>`, { name: 'n'.repeat(100), address: 'a@b.example' }],
  ]
  for (const [text, from] of SENDERS)
    it(`accept MAIL_FROM=${text}`, () => expect(mailOf({ MAIL_FROM: text })?.from).to.deep.equal(from))

  for (const text of [
    'Otter',
    'Otter <>',
    'Otter <a@b.example',
    'Otter <a@b.example> <c@d.example>',
    'a@b.example, c@d.example',
    'Otter <a@b.example,c@d.example>',
    'Otter\nBcc: c@d.example <a@b.example>',
    'Otter\r\n<a@b.example>',
    '\u202eOtter <a@b.example>',
    `${'n'.repeat(101)} <a@b.example>`,
    'a b@c.example',
  ])
    it(`refuse MAIL_FROM=${JSON.stringify(text)}`, () => {
      const refused = refusedFor({ MAIL_FROM: text })
      const said = refused._tag === 'Left' ? refused.left : []
      expect(said).to.have.lengthOf(1)
      expect(said[0]).to.match(/^MAIL_FROM must be NAME <ADDRESS> or an address, /)
    })

  for (const text of ['help', 'Help <help@b.example>', 'https://b.example/help', 'a@b.example\n,c@d.example'])
    it(`refuse MAIL_CONTACT=${JSON.stringify(text)}`, () => {
      const refused = refusedFor({ MAIL_CONTACT: text })
      expect(refused).to.have.property('_tag', 'Left')
      expect(refused._tag === 'Left' && refused.left[0]).to.match(
        /^MAIL_CONTACT must be an e-mail address, got "/,
      )
    })

  for (const [name, least, most] of [
    ['MAIL_CONNECTIONS', 1, 16],
    ['THROTTLE_MAILS', 0, 1_000_000],
  ] as const)
    it(`accept ${name} from ${least} to ${most}`, () => {
      for (const value of [least, most])
        expect(refusedFor({ [name]: `${value}` })).to.have.property('_tag', 'Right')
      for (const value of [least - 1, most + 1])
        expect(refusedFor({ [name]: `${value}` })).to.deep.equal(
          left([`${name} must be a whole number from ${least} to ${most}, got "${value}"`]),
        )
    })

  for (const [text, extra] of [
    ['welcome', ['welcome']],
    ['new_sign_in', ['new_sign_in']],
    ['new_sign_in welcome', ['welcome', 'new_sign_in']],
    ['welcome  new_sign_in', ['welcome', 'new_sign_in']],
  ] as const)
    it(`read MAIL_EXTRA=${JSON.stringify(text)}`, () =>
      expect(mailOf({ MAIL_EXTRA: text })?.extra).to.deep.equal(extra))

  for (const text of ['Welcome', 'welcome,new_sign_in', ' ', 'recovery', 'welcome password_changed'])
    it(`refuse MAIL_EXTRA=${JSON.stringify(text)}`, () =>
      expect(refusedFor({ MAIL_EXTRA: text })).to.deep.equal(
        left([
          `MAIL_EXTRA must be welcome or new_sign_in, or both separated by spaces, got ${JSON.stringify(text)}`,
        ]),
      ))

  const ALONE = {
    MAIL_FROM: 'a@b.example',
    MAIL_CONTACT: 'a@b.example',
    MAIL_EXTRA: 'welcome',
    MAIL_CONNECTIONS: '4',
    THROTTLE_MAILS: '600',
  }
  for (const [name, value] of Object.entries(ALONE))
    it(`refuse ${name} without MAIL_URL`, () =>
      expect(settingsFrom({ [name]: value })).to.deep.equal(
        left([`${name} requires MAIL_URL. Set that, or remove ${name}`]),
      ))

  for (const [name, meaning] of [
    ['MAIL_FROM', 'the sender of the mails'],
    ['MAIL_CONTACT', 'the address to which users write about a mail'],
    ['PUBLIC_URL', 'because mails contain links'],
  ] as const)
    it(`refuse MAIL_URL without ${name}`, () =>
      expect(refusedFor({ [name]: '' })).to.deep.equal(
        left([`MAIL_URL requires ${name}, ${meaning}. Set that too`]),
      ))

  for (const [name, value, changed] of [
    ['PAGES_NAME', 'Otterworks', { name: 'Otterworks' }],
    ['PAGES_LANGUAGE', 'de', { language: 'de' }],
    ['PAGES_FOLDER', '/etc/pages', { pagesFolder: '/etc/pages' }],
  ] as const) {
    it(`accept ${name} with MAIL_URL alone`, () => {
      const read = refusedFor({ [name]: value })
      expect(read).to.have.property('_tag', 'Right')
      const { mail, language, pagesFolder } = read._tag === 'Right' ? read.right : settingsOf({})
      expect({ name: mail?.name, language, pagesFolder }).to.include(changed)
    })
    it(`refuse ${name} without ACCOUNT_PAGES=on and MAIL_URL`, () =>
      expect(settingsFrom({ [name]: value })).to.deep.equal(
        left([`${name} requires ACCOUNT_PAGES=on or MAIL_URL. Set that, or remove ${name}`]),
      ))
  }

  for (const tag of ['german', 'DE', 'de_AT', 'de-', '../de', 'e'])
    it(`refuse PAGES_LANGUAGE=${tag}`, () =>
      expect(refusedFor({ PAGES_LANGUAGE: tag })).to.deep.equal(
        left([`PAGES_LANGUAGE must be a language tag, such as en or pt-BR, got "${tag}"`]),
      ))
})

const settingsOf = (environment: Environment): Settings => {
  const read = settingsFrom(environment)
  if (read._tag === 'Left') throw new Error(read.left.join('; '))
  return read.right
}
