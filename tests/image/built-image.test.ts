import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { writeImageArchive } from '../release/image-archive.ts'
import { apiClient } from '../support/api-client.ts'
import { freePort } from '../support/command.ts'
import { httpClient } from '../support/http-client.ts'
import { type Buildah, buildImage, configOf, startBuildah } from './buildah.ts'
import { type Container, runIn, type Serving, serveIn } from './container.ts'
import { LOCAL_BASE, makeLocalBases, whyNoLocalBases } from './local-base.ts'

const EMAIL = 'ada@example.com'
const PASSWORD = 'nine purple otters sing'
const MOST_MIB = 60
const MINUTES = 60_000

const why = whyNoLocalBases()

if (why !== undefined)
  it(`the image of the Dockerfile cannot be built here: ${why}`, function () {
    if (process.env.CI) throw new Error(why)
    this.skip()
  })
else
  describe('the image that buildah builds from the Dockerfile', function () {
    this.timeout(20 * MINUTES) // SQLite is compiled
    let buildah: Buildah
    let first: Container
    let second: Container
    let untouched: ReadonlyArray<string>
    let keys: { public_api_key: string; private_api_key: string }
    const running: Array<Serving> = []

    /** A new container of an image, with a folder in place of its volume. */
    const containerOf = async (name: string, volume: string): Promise<Container> => {
      const root = await buildah.run('mount', await buildah.run('from', '--pull-never', name))
      return { root, volume, config: await configOf(buildah, name) }
    }
    const serve = async (container: Container) => {
      const [PORT, METRICS_PORT] = [String(await freePort()), String(await freePort())]
      const serving = await serveIn(container, { PORT, METRICS_PORT })
      running.push(serving)
      return { ...serving, url: `http://127.0.0.1:${PORT}` }
    }
    const isHealthy = async ({ execute }: Serving): Promise<boolean> => {
      const [kind, ...words] = first.config.Healthcheck.Test
      expect(kind).to.equal('CMD')
      return (await execute(words)).status === 0
    }

    before(async () => {
      buildah = startBuildah()
      await makeLocalBases(buildah)
      await buildImage(buildah, { name: 'portcullis', time: '0', words: ['--pull-never'] })
      const volume = join(buildah.folder, 'volume')
      first = await containerOf('localhost/portcullis', volume)
      second = await containerOf('localhost/portcullis', volume)
      // An engine makes a new volume with content and owner of the image’s folder.
      const [path = ''] = Object.keys(first.config.Volumes)
      execFileSync('cp', ['-a', join(first.root, path), volume])
      untouched = filesIn(first.root)
    })
    after(async () => {
      for (const serving of running) serving.kill()
      await buildah?.remove()
    })

    it(`adds at most ${MOST_MIB} MiB to its base`, async function () {
      const base = await containerOf(LOCAL_BASE, first.volume)
      const added = Math.round((bytesOf(first.root) - bytesOf(base.root)) / 2 ** 20)
      if (this.test) this.test.title += `: it adds ${added}`
      process.stdout.write(`The image adds ${added} MiB to its base.\n`)
      expect(added).to.be.within(10, MOST_MIB)
    })

    it('runs as user 1000 and process 1, without capabilities, and can write to its volume and /tmp only', async () => {
      const places = '/x /etc/x ./x dist/x package.json /dev/x /tmp/x data/x'
      const tries = await runIn(
        first,
        ...['sh', '-c'],
        `id -u; echo $$; for path in ${places}; do (: >> "$path") 2>/dev/null && echo "$path"; done; rm data/x
         grep -E "^(CapEff|CapBnd|NoNewPrivs)" /proc/self/status | tr -d "\\t"`,
      )
      expect(tries.out).to.equal(
        '1000\n1\n/tmp/x\ndata/x\nCapEff:0000000000000000\nCapBnd:0000000000000000\nNoNewPrivs:1\n',
      )
    })

    it('is healthy and ready on a read-only root, and ends with status 0 after it has answered', async () => {
      const serving = await serve(first)
      expect(await isHealthy(serving)).to.equal(true)
      const { send, close } = httpClient(serving.url)
      expect((await send({ method: 'GET', path: '/readyz' })).status).to.equal(200)
      await close()
      const command = (words: string, input?: string) =>
        serving.execute([...first.config.Entrypoint, ...words.split(' ')], input)
      keys = JSON.parse((await command('application create --name shop --json')).out)
      const user = await command(`user create --email ${EMAIL} --password-stdin`, PASSWORD)
      expect(user).to.include({ status: 0, err: '' })

      const pending = request(`${serving.url}/api/v1/auth/application/token`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Expect: '100-continue' },
      })
      pending.flushHeaders()
      await once(pending, 'continue') // the service now waits for the body
      serving.signal()
      pending.end(JSON.stringify(keys))
      const [answer]: [IncomingMessage] = await (once(pending, 'response') as Promise<never>)
      expect([answer.statusCode, JSON.parse(await text(answer))])
        .to.have.nested.property('[1].token')
        .that.is.a('string')
      expect(await serving.gone).to.equal(0)
    })

    it('has a health check that fails when nothing listens', async () => {
      const [, ...words] = first.config.Healthcheck.Test
      expect((await runIn(first, 'env', `PORT=${await freePort()}`, ...words)).status).to.equal(1)
    })

    it('keeps its data in the volume for a second container', async () => {
      const serving = await serve(second)
      const api = apiClient(serving.url)
      const { token } = (await api.issueToken(keys)).body
      expect((await api.signIn(token, EMAIL, PASSWORD)).status).to.equal(200)
      await api.close()
      serving.signal()
      expect(await serving.gone).to.equal(0)
    })

    for (const kind of ['oci-archive', 'docker-archive']) {
      it(`is released as one file that others read as ${kind}`, async () => {
        const file = join(buildah.folder, 'image.tar')
        await writeImageArchive(buildah, { image: 'localhost/portcullis', name: 'portcullis:1.2.3', file })
        const other = startBuildah()
        try {
          const id = await other.run('pull', '--quiet', `${kind}:${file}`)
          const names = await other.run('images', '--format', '{{.Name}}:{{.Tag}}')
          expect(names).to.match(/^(?:localhost|docker\.io\/library)\/portcullis:1\.2\.3$/)
          const { Healthcheck, ...config } = await configOf(other, id)
          expect(config).to.deep.include({
            User: first.config.User,
            Env: first.config.Env,
            Entrypoint: first.config.Entrypoint,
            Cmd: first.config.Cmd,
            Volumes: first.config.Volumes,
            StopSignal: first.config.StopSignal,
            Labels: first.config.Labels,
          })
          // buildah itself drops it from an image of OCI; Docker does not.
          if (kind === 'docker-archive') expect(Healthcheck).to.deep.equal(first.config.Healthcheck)
          const root = await other.run('mount', await other.run('from', '--pull-never', id))
          expect(filesIn(root, OWNERS)).to.deep.equal(filesIn(first.root, OWNERS))
        } finally {
          await other.remove()
        }
      })
    }

    it('has written the store to the volume, and no other file', () => {
      expect(readdirSync(first.volume)).to.deep.equal(['portcullis.db'])
      expect(filesIn(first.root)).to.deep.equal(untouched)
      expect(filesIn(second.root)).to.deep.equal(untouched)
    })
  })

/** Sizes and modification times. */
const CHANGES = '%s %T@'

/** Types, modes and owners. */
const OWNERS = '%y %m %U:%G'

/** The paths of all files, with what the format of `find` names. */
const filesIn = (folder: string, format = CHANGES): ReadonlyArray<string> =>
  execFileSync('find', [folder, '-printf', `%P ${format}\n`], { encoding: 'utf8', maxBuffer: 2 ** 26 })
    .split('\n')
    .toSorted()

const bytesOf = (folder: string): number =>
  Number.parseInt(
    execFileSync('du', ['--summarize', '--apparent-size', '--block-size=1', folder], { encoding: 'utf8' }),
    10,
  )
