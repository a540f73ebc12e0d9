"""A configuration's calls made, and what came back kept, whatever happens.

- `run`: the whole, from the lock to the report; `options`: how it is to be made; `prepare`: the study that
  it collects into; `begun`: what is settled before anybody is asked; `stages`: what is asked first and what
  then.
- `planned`: what a plan adds to the study before anybody is asked; `session`: a run at work; `dispatch`:
  which call is made when; `budget`: whether it may be; `calling`: one call.
- `batching`: calls handed over in batches; `batch_chunks`: which go together; `batch_records`: what is
  known of those under way; `batch_checks`: what is refused.
- `entries`, `journal`: an answer on its way to the disk; `collect`: from the journal into the study.
- `answered`: what needs not be asked again; `same`: whether a run may go on; `run_rows`: its rows in `runs`.
- `folders`, `guard`, `lock`, `lock_objects`: where a run keeps its files, and who works on a study.
- `status`, `report`, `estimate`, `watching`: what those who watch are told; `cluster`: shards on a Dask
  cluster.

It may import everything below the measures, and litellm only through `engine.judges`.
"""

from engine.runner.options import RunOptions
from engine.runner.report import RunReport
from engine.runner.run import run

__all__ = ["RunOptions", "RunReport", "run"]
