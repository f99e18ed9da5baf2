"""Celery's queues, and which task goes where."""

from kombu import Queue as KombuQueue

from models.kinds import Queue, TaskName

QUEUES = [KombuQueue(queue.value) for queue in Queue]

ROUTES = {
    TaskName.PREPARE.value: {"queue": Queue.COMPACTION.value},
    TaskName.SWEEP.value: {"queue": Queue.UPKEEP.value},
    TaskName.DRAIN.value: {"queue": Queue.UPKEEP.value},
}
