"""The when: Celery application, queues, schedule and tasks."""
