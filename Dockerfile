# One image for api, worker, beat and migrate; compose.yaml says which is which.
FROM python:3.12-slim

RUN useradd --create-home --uid 10001 carryforward && install -d -o carryforward -m 700 /var/lib/carryforward
WORKDIR /srv/carryforward

# The requirements change seldom, the code often: two layers.
COPY requirements/app.txt requirements/app.txt
RUN pip install --no-cache-dir --require-hashes --requirement requirements/app.txt

COPY . .
RUN pip install --no-cache-dir --no-deps --no-build-isolation --editable . --editable client

USER carryforward
ENV CARRYFORWARD_DATA_DIR=/var/lib/carryforward CARRYFORWARD_HOST=0.0.0.0 PYTHONUNBUFFERED=1
EXPOSE 8377
ENTRYPOINT ["carryforward"]
CMD ["api"]
