import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { validate } from 'dockerfile-utils'
import { SETTINGS, settingsFrom } from '../../adapters/config/settings.ts'
import { mismatchOf } from '../../adapters/stores/sqlite/driver.ts'
import { ROOT } from '../architecture/root.ts'
import { SUPPORTED } from '../matrix/wanted.ts'
import { readLock } from '../supply-chain/lock.ts'
import { all, DOCKERFILE, environmentOf, healthCommandOf, last, stagesOf } from './dockerfile.ts'

const [build, image, ...others] = stagesOf(DOCKERFILE)
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

describe('the Dockerfile', () => {
  it('has no findings of dockerfile-utils, which finds errors in a wrong one', () => {
    expect(validate(DOCKERFILE)).to.deep.equal([])
    const wrong = DOCKERFILE.replace('EXPOSE 8080', 'EXPOSE http')
      .replace('WORKDIR /portcullis', 'WORKDIR')
      .replace('--retries', '--tries')
    expect(validate(wrong)).to.have.lengthOf(3)
  })

  it('builds in one stage and runs on the slim image of the same Debian and Node', () => {
    expect(others).to.deep.equal([])
    expect([build?.name, build?.image, image?.image]).to.deep.equal(['build', 'node', 'node'])
    expect(build?.tag).to.match(/^\d+-[a-z]+$/)
    expect(image?.tag).to.equal(`${build?.tag}-slim`)
    for (const { flags } of all(image, 'COPY')) expect(flags.from ?? 'build').to.equal('build')
  })

  it('uses a tested version of Node, on which the locked better-sqlite3 runs', () => {
    const node = /^\d+/.exec(image?.tag ?? '')?.[0] ?? ''
    expect(SUPPORTED).to.include(node)
    const driver = readLock().packages['node_modules/better-sqlite3']?.version ?? ''
    expect(mismatchOf(`${node}.0.0`, driver)).to.equal(undefined)
    expect(mismatchOf('24.0.0', driver), 'it does not run on every Node').to.be.a('string')
  })

  it('runs as a numeric user other than root, who owns only the store', () => {
    const user = last(image, 'USER')?.text ?? ''
    expect(user).to.match(/^[1-9]\d*:[1-9]\d*$/)
    const [uid, gid] = user.split(':')
    const [data = '', ...more] = last(image, 'VOLUME')?.words ?? []
    expect(more).to.deep.equal([])
    expect(data).to.equal(`${last(image, 'WORKDIR')?.text}/data`)
    const installed = all(image, 'RUN').map(({ text }) => text)
    expect(installed).to.deep.equal([`install -d -o ${uid} -g ${gid} -m 0700 data`])
    for (const { flags } of all(image, 'COPY')) expect(flags).not.to.have.any.keys('chown', 'chmod')
  })

  it('starts and checks health without a shell, and stops with a signal that the service handles', () => {
    expect(last(image, 'ENTRYPOINT')).to.include({ isArray: true })
    expect(last(image, 'CMD')).to.deep.include({ isArray: true, words: ['serve'] })
    expect(healthCommandOf(image)[0]).to.equal('node')
    expect(last(image, 'STOPSIGNAL')?.text).to.equal('SIGTERM')
  })

  it('sets production settings and no secret', () => {
    const { NODE_ENV, ...set } = environmentOf(image)
    expect(NODE_ENV).to.equal('production')
    expect(set).to.deep.equal({
      HOST: '0.0.0.0',
      PASSWORD_POLICY: 'nist',
      METRICS_PORT: '9464',
      THROTTLE_APPLICATION_TOKENS: '600',
      THROTTLE_REGISTRATIONS: '60',
    })
    expect(
      all(image, 'EXPOSE').map(({ text }) => text),
      'not the metrics',
    ).to.deep.equal(['8080'])
    expect(settingsFrom(set)).to.have.property('_tag', 'Right')
    const settings = new RegExp(`\\b(?:${SETTINGS.join('|')})=`)
    for (const { keyword, text } of [...(build?.instructions ?? []), ...(image?.instructions ?? [])]) {
      expect(keyword).not.to.equal('ARG')
      if (keyword !== 'ENV') expect(text).not.to.match(settings)
    }
  })

  it('labels the image with the data of package.json', () => {
    const labels = last(image, 'LABEL')?.properties
    expect(labels).to.include({
      'org.opencontainers.image.title': manifest.name,
      'org.opencontainers.image.version': manifest.version,
      'org.opencontainers.image.licenses': manifest.license,
      'org.opencontainers.image.base.name': `docker.io/library/node:${image?.tag}`,
    })
    expect(manifest.description.startsWith(`${labels?.['org.opencontainers.image.description']}:`)).to.equal(
      true,
    )
  })
})

describe('.dockerignore', () => {
  const lines = readFileSync(join(ROOT, '.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))

  it('allows only what the Dockerfile copies, without hidden files and databases', () => {
    const copied = [build, image]
      .flatMap((stage) => all(stage, 'COPY'))
      .filter(({ flags }) => flags.from === undefined)
      .flatMap(({ words }) => words.slice(0, -1))
    const taken = [...new Set(copied)].map((path) => `!${path}`)
    expect(lines[0]).to.equal('*')
    expect(lines.slice(1, 1 + taken.length)).to.have.members(taken)
    expect(lines.slice(1 + taken.length)).to.deep.equal(['**/.*', '**/*.db', '**/*.db-*'])
  })
})
