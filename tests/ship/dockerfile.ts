import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DockerfileParser, type From, type JSONInstruction, type PropertyInstruction } from 'dockerfile-ast'
import { ROOT } from '../architecture/root.ts'

export const DOCKERFILE = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')

/** One instruction of a Dockerfile. */
export type Instruction = Readonly<{
  keyword: string
  /** `--from=build` is from: build. */
  flags: Readonly<Record<string, string>>
  /** The arguments as one text and as words; for an array, its texts. */
  text: string
  words: ReadonlyArray<string>
  /** Whether the arguments are an array, which runs without a shell. */
  isArray: boolean
  /** Of ENV and LABEL. */
  properties: Readonly<Record<string, string>>
}>

export type Stage = Readonly<{
  image: string
  tag: string
  name: string | undefined
  instructions: ReadonlyArray<Instruction>
}>

/** The stages of a Dockerfile in order. The last one is the image. */
export const stagesOf = (text: string): ReadonlyArray<Stage> => {
  const stages: Array<Stage & { instructions: Array<Instruction> }> = []
  for (const found of DockerfileParser.parse(text).getInstructions()) {
    const keyword = found.getKeyword()
    if (keyword === 'FROM') {
      const from = found as From
      stages.push({
        image: from.getImageName() ?? '',
        tag: from.getImageTag() ?? '',
        name: from.getBuildStage() ?? undefined,
        instructions: [],
      })
      continue
    }
    const { getFlags, getJSONStrings, getProperties } = found as Partial<
      JSONInstruction & PropertyInstruction
    >
    const texts = getJSONStrings?.call(found).map((one) => one.getJSONValue()) ?? []
    stages.at(-1)?.instructions.push({
      keyword,
      flags: Object.fromEntries(
        (getFlags?.call(found) ?? []).map((flag) => [flag.getName(), flag.getValue() ?? '']),
      ),
      text: found.getArgumentsContent() ?? '',
      words: texts.length > 0 ? texts : found.getArguments().map((word) => word.getValue()),
      isArray: texts.length > 0,
      properties: Object.fromEntries(
        (getProperties?.call(found) ?? []).map((one) => [one.getName(), one.getValue() ?? '']),
      ),
    })
  }
  return stages
}

export const all = (stage: Stage | undefined, keyword: string): ReadonlyArray<Instruction> =>
  stage?.instructions.filter((one) => one.keyword === keyword) ?? []

/** The last of several instructions, which is the effective one. */
export const last = (stage: Stage | undefined, keyword: string): Instruction | undefined =>
  all(stage, keyword).at(-1)

/** The variables that ENV sets in a stage. */
export const environmentOf = (stage: Stage | undefined): Readonly<Record<string, string>> =>
  Object.assign({}, ...all(stage, 'ENV').map(({ properties }) => properties))

/** The command of HEALTHCHECK, an array after the word CMD. */
export const healthCommandOf = (stage: Stage | undefined): ReadonlyArray<string> =>
  JSON.parse(last(stage, 'HEALTHCHECK')?.text.replace(/^.*?\bCMD /, '') ?? '[]')
