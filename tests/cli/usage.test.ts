import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { workplace } from '../support/command.ts'

describe('the command line', () => {
  const { portcullis, remove } = workplace()
  after(remove)

  it('says with --help what there is and what the exit statuses mean', async () => {
    const { status, out, err } = await portcullis('--help')
    expect(status).to.equal(0)
    expect(err).to.equal('')
    for (const word of [
      'serve',
      'application',
      'user',
      'events',
      '0 done',
      '1 refused',
      '2 wrong',
      '78 wrong',
    ]) {
      expect(out).to.include(word)
    }
  })

  for (const [command, options] of [
    ['serve', ['--first-run']],
    ['application create', ['--name', '--scope', '--json']],
    ['user create', ['--email', '--password-stdin', '--json']],
    ['events list', ['--after', '--type', '--json']],
  ] as const) {
    it(`explains every option of ${command} with --help`, async () => {
      const { status, out } = await portcullis(`${command} --help`)
      expect(status).to.equal(0)
      for (const option of options) expect(out).to.include(option)
    })
  }

  it('knows the version of the package', async () => {
    // The tests run from the root of the project, whether compiled or not.
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
    expect(await portcullis('--version')).to.deep.equal({ status: 0, out: `${version}\n`, err: '' })
  })

  for (const [mistake, words, hint] of [
    ['an unknown command', 'unlock', "unknown command 'unlock'"],
    ['an unknown option', 'serve --loud', "unknown option '--loud'"],
    ['too many words', 'events list everything', 'too many arguments'],
    ['a missing --name', 'application create', '--name'],
    ['a missing --email', 'user create --password-stdin', '--email'],
    ['a missing --password-stdin', 'user create --email ada@example.com', '--password-stdin'],
    ['a position that is no number', 'events list --after yesterday', 'whole number'],
    ['an event that does not exist', 'events list --type Birthday', 'ApplicationRegistered'],
  ] as const) {
    it(`refuses ${mistake} with status 2 and says what is expected`, async () => {
      const { status, out, err } = await portcullis(words)
      expect(status).to.equal(2)
      expect(out).to.equal('')
      expect(err).to.include(hint)
    })
  }

  it('ends with status 2 and the help when there is no command', async () => {
    const { status, err } = await portcullis('application')
    expect(status).to.equal(2)
    expect(err).to.include('Usage: portcullis application')
  })

  for (const words of [
    'serve',
    'application create --name A',
    'user create --email a@b.c --password-stdin',
    'events list',
  ]) {
    it(`names every wrong setting at once with status 78: ${words}`, async () => {
      const { status, out, err } = await portcullis(words, {
        environment: { PORT: 'http', SCRYPT_LOG_N: '99', DATABASE_URL: 'mysql://root:hunter2@db' },
      })
      expect(status).to.equal(78)
      expect(out).to.equal('')
      expect(err.split('\n')).to.deep.equal([
        'These settings are wrong:',
        '  PORT: a whole number from 1 to 65535',
        '  DATABASE_URL: sqlite:PATH or memory:',
        '  SCRYPT_LOG_N: a whole number from 1 to 18',
        '',
      ])
    })
  }
})
