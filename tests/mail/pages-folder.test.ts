import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { isLeft } from 'fp-ts/lib/Either.js'
import { languages } from '../../adapters/texts/languages.ts'
import { type PagesFolder, pagesFolder } from '../../adapters/texts/pages-folder.ts'
import type { Message } from '../../application/ports/mail.ts'
import { writerOf } from './letters.ts'

const LINK = 'https://auth.example.com/account/recover?token=a&b="c"'

describe('PAGES_FOLDER', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-pages-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const lay = (files: Readonly<Record<string, string | Buffer>>): void => {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), content)
    }
  }
  const problemsOf = (files: Readonly<Record<string, string | Buffer>>): ReadonlyArray<string> => {
    lay(files)
    const read = pagesFolder(folder)
    return isLeft(read) ? read.left : []
  }
  const read = (files: Readonly<Record<string, string | Buffer>>): PagesFolder => {
    lay(files)
    const found = pagesFolder(folder)
    if (isLeft(found)) throw new Error(found.left.join('; '))
    return found.right
  }
  const letterIn = (found: PagesFolder, message: Message, language = 'en') =>
    writerOf({ languages: languages(found.texts, 'en'), template: found.mail })({
      id: '1',
      to: 'ada@lovelace.example',
      wishes: [language],
      message,
    })
  const RECOVERY = { kind: 'recovery', link: LINK, lifetimeSeconds: 600 } as const

  it('may be empty, and ignores names that begin with a dot', () => {
    expect(read({ '.DS_Store': Buffer.from([0xff]), '..data/mail/no.txt': 'x' }).texts).to.deep.equal({})
  })

  it('adds a language, whose missing texts are English', () => {
    const found = read({ 'texts/fr.json': '{"mail.recovery.subject": "Nouveau mot de passe"}' })
    expect(letterIn(found, RECOVERY, 'fr-CA')).to.deep.include({
      subject: 'Nouveau mot de passe',
      language: 'fr',
    })
    expect(letterIn(found, RECOVERY, 'fr').text).to.include('If this was not you')
    expect(found.missing.fr).to.include('mail.recovery.body')
    expect(found.missing.fr).not.to.include('mail.recovery.subject')
  })

  it('changes single texts of a language that is built in', () => {
    const found = read({ 'texts/de.json': '\ufeff{"mail.recovery.subject": "Passwort weg?"}' })
    expect(letterIn(found, RECOVERY, 'de').subject).to.equal('Passwort weg?')
    expect(letterIn(found, RECOVERY, 'de').text).to.include('Ihr Passwort bleibt unverändert.')
    expect(found.missing).to.deep.equal({})
  })

  it('has mails of its own, as text only: the HTML is made of it', () => {
    const found = read({
      'mail/recovery.txt':
        'Subject: {name}: new password\r\n\r\nHi <you>,\r\n\r\n{link}\r\n\r\nfor {lifetime}. {contact}\r\n',
    })
    const { subject, text, html } = letterIn(found, RECOVERY)
    expect(subject).to.equal('Otterworks: new password')
    expect(text).to.equal(`Hi <you>,\n\n${LINK}\n\nfor 10 minutes. help@example.com\n`)
    expect(html).to.include('Hi &#60;you&#62;,')
    expect(html).to.include('href="https://auth.example.com/account/recover?token=a&#38;b=&#34;c&#34;"')
  })

  it('has mails of its own in HTML, with escaped values', () => {
    const found = read({
      'mail/new_sign_in.txt': 'Subject: New\n{time} {device}',
      'mail/new_sign_in.html':
        '<p title="{device}">{time} {device}</p><img src="data:image/png;base64,AA==">',
    })
    const message = { kind: 'new_sign_in', atSeconds: 0, device: '<script>"{contact}"' } as const
    expect(letterIn(found, message).html).to.equal(
      '<p title="&#60;script&#62;&#34;{contact}&#34;">January 1, 1970 at 00:00 UTC &#60;script&#62;&#34;{contact}&#34;</p><img src="data:image/png;base64,AA==">',
    )
  })

  it('prefers a mail of the language to one for all', () => {
    const found = read({
      'mail/welcome.txt': 'Subject: All\n{link}',
      'mail/de/welcome.txt': 'Subject: Deutsch\n{link}',
    })
    const message = { kind: 'welcome', link: LINK } as const
    expect(letterIn(found, message, 'de-CH').subject).to.equal('Deutsch')
    expect(letterIn(found, message, 'en').subject).to.equal('All')
  })

  it('may be of links, as Kubernetes mounts it', () => {
    lay({ '..2026/recovery.txt': 'Subject: Linked\n{link}' })
    mkdirSync(join(folder, 'mail'))
    symlinkSync('../..2026/recovery.txt', join(folder, 'mail/recovery.txt'))
    expect(letterIn(read({}), RECOVERY).subject).to.equal('Linked')
  })

  const TXT = 'Subject: A\n{link}'
  const WRONG: ReadonlyArray<
    readonly [files: Readonly<Record<string, string | Buffer>>, ...problems: ReadonlyArray<string>]
  > = [
    [{ 'text/fr.json': '{}' }, 'text/fr.json means nothing here'],
    [{ 'texts/fr.yaml': '' }, 'texts/fr.yaml means nothing here'],
    [{ 'texts/FR.json': '{}' }, 'texts/FR.json means nothing here'],
    // They look like languages, and Intl refuses them.
    [{ 'texts/fr-12.json': '{}' }, 'texts/fr-12.json means nothing here'],
    [{ 'texts/de-CH-CH.json': '{}' }, 'texts/de-CH-CH.json means nothing here'],
    [{ 'styles.css': '' }, 'styles.css means nothing here'],
    [{ 'mail/recover.txt': TXT }, 'mail/recover.txt means nothing here: there is no such mail'],
    [{ 'mail/toString.txt': TXT }, 'mail/toString.txt means nothing here: there is no such mail'],
    [{ 'mail/recovery.md': TXT }, 'mail/recovery.md means nothing here'],
    [{ 'mail/a/b/recovery.txt': TXT }, 'mail/a/b means nothing here'],
    [{ 'mail/fr/recovery.txt': TXT }, 'mail/fr/recovery.txt is of an unknown language'],
    [
      { 'mail/recovery.html': '{link}' },
      'mail/recovery.html needs recovery.txt beside it, which has the subject',
    ],
    [
      { 'texts/fr.json': Buffer.from([0xff, 0xfe]) },
      'texts/fr.json is no readable file of UTF-8 text, at most 64 KiB',
    ],
    [
      { 'texts/fr.json': ' '.repeat(65_537) },
      'texts/fr.json is no readable file of UTF-8 text, at most 64 KiB',
    ],
    [{ 'texts/fr.json': '{"a": 1}' }, 'texts/fr.json: there is no text "a"'],
    [
      { 'texts/fr.json': '{"mail.if_you": "<SCRIPT>alert(1)</script>"}' },
      'texts/fr.json: mail.if_you must not have <script',
    ],
    [
      { 'mail/recovery.txt': 'Hello\n{link}' },
      'mail/recovery.txt: its first line must be "Subject: …"',
      'mail/recovery.txt: it must have {link}',
    ],
    [
      { 'mail/recovery.txt': 'Subject: {link}\nHello' },
      'mail/recovery.txt: its subject must not have a link',
      'mail/recovery.txt: it must have {link}',
    ],
    [{ 'mail/recovery.txt': 'Subject: A\nHello' }, 'mail/recovery.txt: it must have {link}'],
    [
      { 'mail/password_leaked.txt': 'Subject:  \t \nHello' },
      'mail/password_leaked.txt: its first line must be "Subject: …"',
    ],
    [{ 'mail/password_leaked.txt': 'Subject: A\n \n\n' }, 'mail/password_leaked.txt: it has no text'],
    [
      { 'mail/password_leaked.txt': 'Subject: A\nHello', 'mail/password_leaked.html': ' \n' },
      'mail/password_leaked.html: it has no text',
    ],
    [
      { 'mail/password_leaked.txt': 'Subject: A\u0000\nHello' },
      'mail/password_leaked.txt: it has control characters',
    ],
    [
      { 'mail/password_leaked.txt': 'Subject: A\nHello\u001b[0m' },
      'mail/password_leaked.txt: it has control characters',
    ],
    [{ 'mail/recovery.txt': `${TXT} {token}` }, 'mail/recovery.txt: there is no {token} in this mail'],
    [
      { 'mail/email_changed.txt': 'Subject: A\n{link}' },
      'mail/email_changed.txt: there is no {link} in this mail',
    ],
    [{ 'mail/recovery.txt': TXT, 'mail/recovery.html': 'Hello' }, 'mail/recovery.html: it must have {link}'],
  ]
  for (const [files, ...problems] of WRONG)
    it(`refuses ${Object.keys(files).join(' and ')}: ${problems[0]}`, () => {
      expect(problemsOf(files)).to.deep.equal(problems)
    })

  const ACTIVE: Readonly<Record<string, string>> = {
    '<script>alert(1)</script>': 'it must not have <script',
    '<SCRIPT src=data:x>': 'it must not have <script',
    '<p onclick="x">': 'it must not have an attribute on…=',
    '<p/onload = x>': 'it must not have an attribute on…=',
    '<img src="https://e.example/1.png">': 'src= must begin with data:',
    "<img src='//e.example/1.png'>": 'src= must begin with data:',
    '<img/src=cid:x>': 'src= must begin with data:',
    '<p style="background:url(https://e.example)">': 'url( must begin with data:',
    // Programs read these as the ones above.
    '<p style="background:u\\72l(https://e.example)">': 'it must not have a backslash',
    '<p style="background:u&#114;l(https://e.example)">':
      'it must have ASCII characters as themselves, not as &#…;',
    '<p style="background:u&#x72l(https://e.example)">':
      'it must have ASCII characters as themselves, not as &#…;',
    '<p style="background:url&lpar;https://e.example&rpar;">':
      'it must have ASCII characters as themselves, not as &#…;',
    '<p style="background:image-set(\'https://e.example/1.png\' 1x)">': 'it must not have image-set(',
    '<p style="background:-webkit-image-set(\'https://e.example\' 1x)">': 'it must not have image-set(',
    '<svg><image href=https://e.example>': 'it must not load or send anything',
    '<svg><USE href=https://e.example#a>': 'it must not load or send anything',
    '<meta http-equiv=refresh content="0;url=https://e.example">': 'it must not load or send anything',
    '<img srcset="https://e.example 2x">': 'it must not have srcset=, background=, poster= or action=',
    '<body background="https://e.example">': 'it must not have srcset=, background=, poster= or action=',
    '<link rel=stylesheet href=x>': 'it must not load or send anything',
    '<style>@import "x"</style>': 'it must not load or send anything',
    '<iframe>': 'it must not load or send anything',
    '<a href="javascript:x">': 'it must not have a script',
  }
  for (const [html, problem] of Object.entries(ACTIVE))
    it(`refuses HTML with ${html}`, () =>
      expect(problemsOf({ 'mail/recovery.txt': TXT, 'mail/recovery.html': `{link} ${html}` })).to.include(
        `mail/recovery.html: ${problem}`,
      ))

  it('may have other references, and name its encoding, in HTML', () => {
    const html =
      '<meta http-equiv="Content-Type" content="text/html; charset=utf-8"><p title="&#39;&#x22;">{link} &nbsp;&#8211;&#847;&#x200B;&amp;&copy;</p>'
    expect(problemsOf({ 'mail/recovery.txt': TXT, 'mail/recovery.html': html })).to.deep.equal([])
  })

  it('must be a folder', () => {
    lay({ file: '' })
    for (const path of [join(folder, 'file'), join(folder, 'none')])
      expect(pagesFolder(path)).to.deep.equal({ _tag: 'Left', left: ['it names no readable folder'] })
  })
})
