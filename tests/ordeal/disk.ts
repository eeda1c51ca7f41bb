/** A small disk for the ordeal, which can be filled for a while; a folder, where no disk can be mounted. */

const MEBIBYTES = 256;

/** Mounts a disk (Linux, as root); or prints that the steps with a full disk are skipped. */
export async function openDisk(tell: (line: string) => void) {
  const folder = await Deno.makeTempDir();
  const isMounted = await succeeds(
    "mount",
    "-t",
    "tmpfs",
    "-o",
    `size=${MEBIBYTES}m`,
    "foyer",
    folder,
  );
  if (!isMounted) tell("No disk can be mounted here: it will never be full.");
  return {
    folder,
    /** Fills the disk for so many milliseconds. */
    async fill(milliseconds: number): Promise<void> {
      if (!isMounted) return;
      const ballast = await Deno.makeTempFile({ dir: folder });
      await writeUntilFull(ballast);
      await new Promise((resolve) => setTimeout(resolve, milliseconds));
      await Deno.remove(ballast);
    },
    async [Symbol.asyncDispose]() {
      if (isMounted) await succeeds("umount", folder);
      await Deno.remove(folder, { recursive: true });
    },
  };
}

async function writeUntilFull(path: string): Promise<void> {
  using file = await Deno.open(path, { write: true });
  const block = new Uint8Array(1 << 20);
  try {
    for (let written = 0; written <= MEBIBYTES; written++) await file.write(block);
  } catch (error) {
    if (!(error instanceof Error && /no space left/i.test(error.message))) throw error;
  }
}

async function succeeds(program: string, ...args: string[]): Promise<boolean> {
  try {
    const command = new Deno.Command(program, { args, stdout: "null", stderr: "null" });
    return (await command.output()).success;
  } catch {
    return false;
  }
}
