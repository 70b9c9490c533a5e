import { createHash } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Buildah, configOf } from '../image/buildah.ts'
import { output } from '../image/program.ts'

/**
 * Writes an image into one file that Podman and Docker load. It is an OCI image layout. manifest.json is for versions of Docker
 * that do not read this layout.
 *
 * @param image its name in buildah
 * @param name the name that it gets where it is loaded, with a tag
 */
export const writeImageArchive = async (
  buildah: Buildah,
  { image, name, file }: Readonly<{ image: string; name: string; file: string }>,
): Promise<void> => {
  const layout = join(buildah.folder, 'layout')
  rmSync(layout, { recursive: true, force: true })
  await buildah.run('push', '--quiet', '--format', 'oci', image, `oci:${layout}:${name}`)
  const blob = (digest: string) => `blobs/${digest.replace(':', '/')}`
  const read = (path: string) => JSON.parse(readFileSync(join(layout, path), 'utf8'))
  const replace = <Found extends Descriptor>(old: Found, content: object): Found => {
    const text = JSON.stringify(content)
    const digest = `sha256:${createHash('sha256').update(text).digest('hex')}`
    rmSync(join(layout, blob(old.digest)))
    writeFileSync(join(layout, blob(digest)), text)
    return { ...old, digest, size: Buffer.byteLength(text) }
  }

  const index: { manifests: [Descriptor] } = read('index.json')
  const manifest: Manifest = read(blob(index.manifests[0].digest))
  // OCI has no health check, so buildah drops it. Docker reads it from here, where its own builds write it too.
  const { Healthcheck } = await configOf(buildah, image)
  const config = read(blob(manifest.config.digest))
  const newConfig = replace(manifest.config, { ...config, config: { ...config.config, Healthcheck } })
  const newManifest = replace(index.manifests[0], { ...manifest, config: newConfig })
  const annotations = {
    'org.opencontainers.image.ref.name': name,
    'io.containerd.image.name': `docker.io/library/${name}`,
  }
  writeFileSync(
    join(layout, 'index.json'),
    JSON.stringify({ ...index, manifests: [{ ...newManifest, annotations }] }),
  )
  writeFileSync(
    join(layout, 'manifest.json'),
    JSON.stringify([
      {
        Config: blob(newConfig.digest),
        RepoTags: [name],
        Layers: manifest.layers.map(({ digest }) => blob(digest)),
      },
    ]),
  )
  const unchanging = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner', '--mode=a+rX']
  await output('tar', [...unchanging, '-cf', file, '-C', layout, '.'])
}

type Descriptor = Readonly<{ digest: string; size: number }>
type Manifest = Readonly<{ config: Descriptor; layers: ReadonlyArray<Descriptor> }>
