import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { prefixOf, settingsFrom } from '../../adapters/config/settings.ts'
import { settings } from '../support/settings.ts'

describe('PUBLIC_URL', () => {
  const GOOD: ReadonlyArray<readonly [url: string, prefix: string]> = [
    ['http://localhost', ''],
    ['http://localhost:8080', ''],
    ['https://auth.example.com', ''],
    ['https://[::1]:8443', ''],
    ['https://192.0.2.1', ''],
    ['https://example.com/auth', '/auth'],
    ['https://example.com/a/b/c', '/a/b/c'],
    ['https://example.com/A-b._~9', '/A-b._~9'],
  ]
  for (const [url, prefix] of GOOD) {
    it(`may be ${url}, which makes the prefix ${JSON.stringify(prefix)}`, () => {
      const made = settings({ PUBLIC_URL: url })
      expect(made.publicUrl).to.equal(url)
      expect(prefixOf(made)).to.equal(prefix)
    })
  }

  it('is the address of the service if it is not set', () => {
    const made = settings({ PUBLIC_URL: '', HOST: 'auth.test', PORT: '9' })
    expect(made.publicUrl).to.equal('http://auth.test:9')
    expect(prefixOf(made)).to.equal('')
  })

  const BAD: ReadonlyArray<readonly [what: string, url: string]> = [
    ['end with a slash', 'https://example.com/'],
    ['have a path with ..', 'https://example.com/a/../b'],
    ['have a path with .', 'https://example.com/.'],
    ['end with a slash after a path', 'https://example.com/auth/'],
    ['have an empty part in its path', 'https://example.com//auth'],
    ['have a query', 'https://example.com/auth?x=1'],
    ['have an empty query', 'https://example.com?'],
    ['have a fragment', 'https://example.com#top'],
    ['name a user', 'https://ada@example.com'],
    ['contain a password', 'https://ada:secret@example.com'],
    ['lack the scheme', 'example.com'],
    ['lack the host', 'https://'],
    ['have a port and no host', 'https://:8080'],
    ['be of another scheme', 'ftp://example.com'],
    ['have a space in its host', 'https://exa mple.com'],
    ['have an invalid port', 'https://example.com:99999'],
    ['be a path alone', '/auth'],
    ['contain a line feed', 'https://example.com\n'],
    ['have a star in its path', 'https://example.com/*'],
    ['have a parameter in its path', 'https://example.com/:id'],
    ['have a group in its path', 'https://example.com/(a)'],
    ['have an optional part in its path', 'https://example.com/{a}'],
    ['have an escape in its path', 'https://example.com/a%20b'],
    ['have a path that begins with a backslash, which URLs read as a slash', 'https://example.com\\:id'],
    ['end with a backslash', 'https://example.com\\'],
  ]
  /** The values that hide a part, which may be secret. */
  const SHOWN: Readonly<Record<string, string>> = {
    'https://ada@example.com': '"***@example.com"',
    'https://ada:secret@example.com': '"***@example.com"',
    'https://example.com/auth?x=1': '"https://example.com/auth?***"',
  }
  for (const [what, url] of BAD) {
    it(`may not ${what}: ${JSON.stringify(url)}`, () => {
      const shown = SHOWN[url] ?? JSON.stringify(url)
      expect(settingsFrom({ PUBLIC_URL: url })).to.deep.equal(
        left([
          `PUBLIC_URL must be an http or https URL without user, query, fragment or final slash, got ${shown}`,
        ]),
      )
    })
  }
})
