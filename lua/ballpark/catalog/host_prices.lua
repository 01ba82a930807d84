-- What memory and storage cost where no device is rented: list prices as recalled, within a third. They stand in for a
-- quote, and every line that uses one says so.
return {
  -- Memory of servers: a machine of 1,024 GiB for 8.06 USD an hour (AWS r6i.32xlarge, us-east-1, on demand, 2024, recalled).
  memory_usd_gb_month = { value = 5.3, low = 3.5, high = 7,
    source = "a server of 1,024 GiB at 8.06 USD/h (AWS r6i.32xlarge, on demand, 2024, recalled)" },
  -- Objects: 0.023 USD per GB and month (AWS S3 standard, us-east-1, 2024, recalled).
  object_usd_gb_month = { value = 0.023, low = 0.015, high = 0.026,
    source = "object storage at 0.023 USD per GB and month (AWS S3 standard, 2024, recalled)" },
  -- Tiers for what is read less often: 0.0125 and 0.004 USD per GB and month (AWS S3 Standard-IA and Glacier Instant
  -- Retrieval, us-east-1, 2024, recalled). Retrieval is paid besides.
  infrequent_usd_gb_month = { value = 0.0125, low = 0.01, high = 0.015,
    source = "infrequent access at 0.0125 USD per GB and month (AWS S3 Standard-IA, 2024, recalled)" },
  archive_usd_gb_month = { value = 0.004, low = 0.0036, high = 0.005,
    source = "an archive at 0.004 USD per GB and month (AWS S3 Glacier Instant Retrieval, 2024, recalled)" },
  -- One server of 64 threads and 512 GiB, as searches of vectors are estimated on (AWS r6i.16xlarge, us-east-1, on demand,
  -- 2024, recalled).
  server_usd_h = { value = 4.03, low = 2.7, high = 5.3,
    source = "a server of 64 threads and 512 GiB at 4.03 USD/h (AWS r6i.16xlarge, on demand, 2024, recalled)" },
}
